#!/usr/bin/env python3
"""The JSON Schemas of scenarios/schema against the program: what it reads, what it refuses, what it writes.

usage: schema_test.py PROGRAM SOURCE_DIR [unittest options]
Needs python3-jsonschema and python3-yaml.
"""
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import jsonschema
import yaml

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
SCHEMAS = {path.name: json.loads(path.read_text()) for path in (ROOT / 'scenarios/schema').glob('*.json')}
SCENARIO = jsonschema.Draft7Validator(SCHEMAS['scenario.schema.json'])
RUN = jsonschema.Draft7Validator(SCHEMAS['run.schema.json'])
DEFINITIONS = SCHEMAS['scenario.schema.json']['definitions']
SHIPPED = sorted(path for path in (ROOT / 'scenarios').rglob('*.yaml'))
FRAMES = {
    'machine': 'machine: {}\nprogram: [barrier]\n',
    'step': 'machine: {{chip: tpu_v5e, slice: 4x4}}\nprogram:\n  - {}\n',
    'expect': 'machine: {{chip: tpu_v5e, slice: 4x4}}\nprogram: [barrier]\nexpect:\n  - {}\n',
    'scenario': '{}\n',
}


class CoreLoader(yaml.SafeLoader):
    """YAML 1.2's scalars, as editors read them: `yes` is text, `1e12` a number."""


CoreLoader.yaml_implicit_resolvers = {}
for tag, pattern, first in [('bool', r'true|false', 'tf'), ('null', r'~|null|', ['~', 'n', '']),
                            ('int', r'[-+]?[0-9]+', '-+0123456789'),
                            ('float', r'[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?', '-+.0123456789')]:
    CoreLoader.add_implicit_resolver('tag:yaml.org,2002:' + tag, re.compile('^(?:' + pattern + ')$'), list(first))


def load(text):
    return yaml.load(text, CoreLoader)


def run(*arguments, text=''):
    return subprocess.run([PROGRAM, *arguments], input=text, capture_output=True, text=True, timeout=300, check=False,
                          cwd=ROOT)


def cases(kind):
    groups = yaml.safe_load((ROOT / 'tests/scenarios/schema_test.yaml').read_text())[kind]
    return [FRAMES[frame].format(text) for frame, texts in groups.items() for text in texts]


def told(errors):
    return '\n'.join(f'{list(e.absolute_path)}: {e.message}' for e in errors)


def in_place_of(document, path, value):
    """A copy of the document with the value at the path."""
    document = copy.deepcopy(document)
    at = document
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return document


class Schemas(unittest.TestCase):
    def test_are_schemas(self):
        self.assertEqual(sorted(SCHEMAS), ['collective.schema.json', 'compare.schema.json', 'explain.schema.json',
                                           'run.schema.json', 'scenario.schema.json', 'sweep.schema.json'])
        for schema in SCHEMAS.values():
            jsonschema.Draft7Validator.check_schema(schema)

    def test_examples_are_valid(self):
        def walk(schema, definitions):
            if isinstance(schema, list):
                return sum(walk(item, definitions) for item in schema)
            if not isinstance(schema, dict):
                return 0
            examples = schema.get('examples', [])
            for example in examples:
                errors = jsonschema.Draft7Validator({'definitions': definitions, **schema}).iter_errors(example)
                self.assertEqual(told(errors), '', example)
            return len(examples) + sum(walk(value, definitions) for value in schema.values())

        self.assertGreater(walk(SCHEMAS['scenario.schema.json'], DEFINITIONS), 20)


class Scenarios(unittest.TestCase):
    def test_shipped_ones_are_valid(self):
        self.assertTrue(SHIPPED)
        for path in SHIPPED:
            with self.subTest(path.name):
                self.assertEqual(told(SCENARIO.iter_errors(load(path.read_text()))), '')

    def test_shipped_ones_lead_editors_to_the_schema(self):
        for path in SHIPPED:
            with self.subTest(path.name), path.open() as file:
                match = re.fullmatch(r'# yaml-language-server: \$schema=(\S+)\n', file.readline())
                self.assertTrue(match, 'the first line names the schema')
                self.assertTrue((path.parent / match[1]).samefile(ROOT / 'scenarios/schema/scenario.schema.json'))

    # The schema must not refuse what the program reads, though this version may not run it yet.
    def test_good_ones(self):
        for text in cases('good'):
            with self.subTest(text):
                self.assertEqual(told(SCENARIO.iter_errors(load(text))), '')
                done = run('run', '-', '--quiet', text=text)
                if done.returncode != 0:
                    self.assertIn('not supported yet', done.stderr)

    def test_bad_ones(self):
        for text in cases('bad'):
            with self.subTest(text):
                self.assertFalse(SCENARIO.is_valid(load(text)), 'the schema lets it pass')
                done = run('run', '-', '--quiet', text=text)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertRegex(done.stderr, r'^hopsim: <stdin>:\d+:\d+: ')


# Where the program reads a map of known keys: a document, and the path of that map in it.
MACHINE = {'chip': 'tpu_v5e', 'slice': '4x4'}
TOPOLOGY = {'topology': {'kind': 'ring', 'shape': 4}, 'link': {'bandwidth': '1 GB/s', 'latency': '1 us'}}
NOTATION = 'A[I=4, J=4] = AllGather_X(A[I_X=4, J=4])'


def document(machine=None, step=NOTATION, **rest):
    return {'machine': machine or MACHINE, 'program': [step], **rest}


LEVELS = {
    'a scenario': [(document(), [])],
    'machine': [(document(), ['machine']), (document(TOPOLOGY), ['machine'])],
    'topology': [(document(TOPOLOGY), ['machine', 'topology']),
                 (document({**TOPOLOGY, 'topology': {'graphml': 'f'}}), ['machine', 'topology'])],
    'jitter': [(document({**MACHINE, 'jitter': {}}), ['machine', 'jitter'])],
    'link': [(document(TOPOLOGY), ['machine', 'link'])],
    'overrides': [(document({**MACHINE, 'overrides': {}}), ['machine', 'overrides'])],
    'peaks': [(document({**MACHINE, 'overrides': {'peak_flops': {}}}), ['machine', 'overrides', 'peak_flops'])],
    "a link's fault": [(document({**MACHINE, 'faults': [{'link': [0, 1]}]}), ['machine', 'faults', 0])],
    "a chip's fault": [(document({**MACHINE, 'faults': [{'chip': 1}]}), ['machine', 'faults', 0])],
    'do': [(document(step={'do': NOTATION}), ['program', 0])],
    'matmul of notation': [(document(step={'matmul': NOTATION}), ['program', 0])],
    'parallel': [(document(step={'parallel': [NOTATION]}), ['program', 0])],
    'an expectation': [(document(expect=[{}]), ['expect', 0])],
}
OPERATIONS = ['matmul', 'compute', 'host_load', 'all_gather', 'reduce_scatter', 'all_reduce', 'all_to_all',
              'broadcast', 'reduce', 'gather', 'scatter', 'collective_permute', 'send_recv', 'psum', 'psum_scatter',
              'ppermute', 'column_parallel_linear', 'row_parallel_linear', 'megatron_mlp', 'megatron_attention',
              'transformer_layer']
for name in OPERATIONS:
    LEVELS['in ' + name] = [(document(step={name: {}}), ['program', 0, name])]
    LEVELS['beside ' + name] = [(document(step={name: {}}), ['program', 0])]


def with_key(base, path, key):
    result = copy.deepcopy(base)
    at = result
    for step in path:
        at = at[step]
    at.setdefault(key, 1)
    return result


def refuses_name(base, path, key):
    """Whether the schema says that there is no such key, whatever its value."""
    for error in SCENARIO.iter_errors(with_key(base, path, key)):
        if list(error.absolute_path) != path:
            continue
        if error.instance == key:  # one of propertyNames
            return True
        if error.validator == 'additionalProperties' and key not in error.schema.get('properties', {}):
            return True
    return False


def listed_names(bad, name):
    """The program's list of what it knows in place of the name."""
    match = re.search(r'unknown .*; got ' + name + r'; valid: (.*)', run('run', '-', text=json.dumps(bad)).stderr)
    return set(match[1].split(', ')) if match else None


def valid_names(base, path, key):
    return listed_names(with_key(base, path, key), key)


def all_keys(schema):
    if isinstance(schema, list):
        return set().union(*map(all_keys, schema))
    if not isinstance(schema, dict):
        return set()
    return set(schema.get('properties', {})).union(*map(all_keys, schema.values()))


class Keys(unittest.TestCase):
    def test_the_schema_knows_those_the_program_knows(self):
        candidates = all_keys(SCHEMAS['scenario.schema.json']) | {'zzz'}
        for level, places in LEVELS.items():
            with self.subTest(level):
                known = valid_names(*places[0], 'zzz')
                self.assertIsNotNone(known, 'the program accepts any key here')
                schema_knows = {key for key in candidates | known
                                if any(not refuses_name(*place, key) for place in places)}
                # What a map may not have since another of its keys makes it another kind is no matter of names.
                schema_knows -= {'do', 'parallel', 'link', *OPERATIONS} - known
                self.assertEqual(schema_knows, known)

    def test_the_schema_knows_every_operation(self):
        listed = valid_names(document(step={}), ['program', 0], 'zzz')
        offered = {branch['required'][0] for branch in DEFINITIONS['operation']['oneOf']}
        self.assertEqual(offered - listed, {'psum', 'psum_scatter', 'ppermute'})
        self.assertEqual(listed - offered, set())
        self.assertEqual(offered - {'do', 'parallel'}, set(OPERATIONS))

    def test_the_schema_offers_every_choice(self):
        step = {'do': NOTATION}
        mlp = {'d_model': 8, 'd_ff': 8, 'batch': 1, 'sequence': 1}
        topology = {**TOPOLOGY, 'topology': {'kind': 'zzz', 'shape': 4}}
        choices = [(document(topology), ['topology', 'properties', 'kind']),
                   (document({**MACHINE, 'layout': 'zzz'}), ['machine', 'properties', 'layout']),
                   (document({**MACHINE, 'routing': 'zzz'}), ['machine', 'properties', 'routing']),
                   (document(step={**step, 'schedule': 'zzz'}), ['schedule']),
                   (document(step={**step, 'overlap': 'zzz'}), ['operation', 'properties', 'overlap']),
                   (document(step={**step, 'plan': 'zzz'}), ['operation', 'properties', 'plan']),
                   (document(step={'megatron_mlp': {**mlp, 'pass': 'zzz'}}), ['layer_keys', 'pass']),
                   (document(step={'megatron_mlp': {**mlp, 'recompute': 'zzz'}}), ['layer_keys', 'recompute']),
                   (document(dtype='zzz'), ['dtype', 'anyOf', 0])]
        for bad, path in choices:
            at = DEFINITIONS
            for key in path:
                at = at[key]
            with self.subTest(path):
                self.assertEqual(set(at['enum']), listed_names(bad, 'zzz'))


class Results(unittest.TestCase):
    def needs_every_key(self, schema, result):
        for key in result:
            self.assertFalse(schema.is_valid({other: result[other] for other in result if other != key}), key)

    def result(self, *paths):
        done = run('run', *map(str, paths), '--json', '-')
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_of_shipped_scenarios_are_valid(self):
        for path in SHIPPED:
            with self.subTest(path.name):
                self.assertEqual(told(RUN.iter_errors(self.result(path))), '')

    def test_of_several_files_are_valid(self):
        results = self.result(SHIPPED[0], SHIPPED[-1])
        self.assertEqual(len(results), 2)
        self.assertEqual(told(RUN.iter_errors(results)), '')

    def test_that_are_wrong_are_not(self):
        good = self.result(ROOT / 'scenarios/book/ch3_quiz2_allgather.yaml')
        for path, value in [(['schema'], 'hopsim.run/2'), (['time_s'], '1 us'), (['time_s'], -1), (['overlap'], 1.5),
                            (['fingerprint'], 'abc'), (['steps', 0, 'kind'], 'gossip'), (['steps', 0, 'more'], 1),
                            (['links', 'busiest', 0], {}), (['expect', 0, 'pass'], 'yes'), (['more'], 1)]:
            with self.subTest(path):
                self.assertFalse(RUN.is_valid(in_place_of(good, path, value)))
        for key in good:
            with self.subTest(key):
                self.assertFalse(RUN.is_valid({other: good[other] for other in good if other != key}))

    def test_of_partial_runs_are_valid(self):
        for path in SHIPPED:
            with self.subTest(path.name):
                done = run('run', str(path), '--max-events', '9', '--json', '-')
                self.assertEqual(done.returncode, 0, done.stderr)
                result = json.loads(done.stdout)
                self.assertEqual(told(RUN.iter_errors(result)), '')
                if 'partial' in result:
                    self.assertFalse(any(e['pass'] for e in result['expect'] if not e['step'] and e['what'] == 'time'))
        schema = jsonschema.Draft7Validator(SCHEMAS['collective.schema.json'])
        done = run('collective', 'all_reduce', '--machine', 'ring:8,bw=45GB/s,lat=1us', '--max-time', '1us', '--json', '-')
        self.assertEqual(told(schema.iter_errors(json.loads(done.stdout))), '')

    def test_of_cross_checks_are_valid(self):
        schema = jsonschema.Draft7Validator(SCHEMAS['collective.schema.json'])
        done = run('run', str(ROOT / 'scenarios/fabrics/link_down.yaml'), '--cross-check', '--json', '-')
        self.assertEqual(told(RUN.iter_errors(json.loads(done.stdout))), '')
        done = run('collective', 'all_gather', '--machine', 'ring:8,bw=45GB/s,lat=1us', '--bytes', '1KiB', '--cross-check',
                   '--json', '-')
        self.assertEqual(told(schema.iter_errors(json.loads(done.stdout))), '')

    def test_of_collectives_are_valid(self):
        if run('collective', '--help').returncode != 0:
            self.skipTest('this program has no such command')
        schema = jsonschema.Draft7Validator(SCHEMAS['collective.schema.json'])
        operations = ['all_gather', 'reduce_scatter', 'all_reduce', 'all_to_all', 'collective_permute', 'send_recv']
        for machine in ['ring:8,bw=45GB/s,lat=1us', 'ring:1,bw=45GB/s,lat=1us', 'tpu_v5e:8x4']:
            done = run('collective', *operations, '--axis', 'X', '--bytes', '1KiB,1MiB', '--machine', machine,
                       '--json', '-')
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(done.stdout)
            self.assertEqual(len(result['rows']), 2 * len(operations))
            self.assertEqual(told(schema.iter_errors(result)), '')
            for key in result:
                self.assertFalse(schema.is_valid({other: result[other] for other in result if other != key}), key)

    def test_of_explanations_are_valid(self):
        schema = jsonschema.Draft7Validator(SCHEMAS['explain.schema.json'])
        sized = ['--machine', 'tpu_v5e:4x4', '--dims', 'I=64,J=128,K=256']
        lines = [['C[I_X, K] = A[I_X, J_Y] * B[J_Y, K]'], ['A[I_X, J] * B[J, K_X]', '--backward'],
                 ['C[I, K] = A[I, J_X] * B[J, K]', *sized, '--backward', '--verify'],
                 ['C[I, K] = A[I, J] * B[J, K]', *sized, '--best'], ['A[I_XY]'], ['A[I_XY=30]', '--mesh', 'X=2,Y=3'],
                 ['A[I, J] = AllGather_X(A[I_X, J])', *sized[:2]], ['A[I_X=64] -> A[I]', *sized[:2]],
                 ['H[I=64] = gelu(M[I=64])', *sized[:2]]]
        for line in lines:
            with self.subTest(line):
                done = run('explain', *line, '--json', '-')
                self.assertEqual(done.returncode, 0, done.stderr)
                result = json.loads(done.stdout)
                self.assertEqual(told(schema.iter_errors(result)), '')
                self.assertFalse(schema.is_valid({**result, 'more': 1}))
                self.needs_every_key(schema, result)

    def test_of_sweeps_are_valid(self):
        schema = jsonschema.Draft7Validator(SCHEMAS['sweep.schema.json'])
        for path in sorted((ROOT / 'scenarios/sweeps').glob('*.yaml')):
            with self.subTest(path.name):
                done = run('sweep', str(path), '--json', '-')
                self.assertEqual(done.returncode, 0, done.stderr)
                result = json.loads(done.stdout)
                self.assertEqual(told(schema.iter_errors(result)), '')
                self.needs_every_key(schema, result)
                cost = self.result(path)['cost']
                for point in result['points']:
                    self.assertEqual(told(RUN.iter_errors({**point['result'], 'cost': cost})), '')
                point = result['points'][0]
                both = in_place_of(result, ['points', 0], {**point, 'error': 'no'})
                self.assertFalse(schema.is_valid(both))

    def test_of_comparisons_are_valid(self):
        schema = jsonschema.Draft7Validator(SCHEMAS['compare.schema.json'])
        product = 'C[I_X, K] = A[I_X, J_Y] * B[J_Y, K]'
        machine = ['--machine', 'tpu_v5e:4x4', '--dims', 'I=64,J=128,K=256']
        shipped = ROOT / 'scenarios'
        commands = [(['run', str(shipped / 'overlap/matmul_all_reduce.yaml')], ['--set', 'machine.ideal=false']),
                    (['run', str(shipped / 'megatron/linears.yaml'), str(shipped / 'fabrics/link_down.yaml')], []),
                    (['run', str(shipped / 'fabrics/link_down.yaml')], ['--max-time', '1us']),
                    (['collective', 'all_gather', 'send_recv', '--machine', 'tpu_v5e:4x4'], ['--bytes', '1KiB,4KiB']),
                    (['sweep', str(shipped / 'sweeps/one_way_or_both.yaml')], ['--max-time', '20us']),
                    (['explain', product], machine)]
        for command, more in commands:
            with self.subTest(command), tempfile.TemporaryDirectory() as folder:
                files = [folder + '/a.json', folder + '/b.json']
                for file, flags in zip(files, ([], more)):
                    run(*command, *flags, '--quiet', '--json', file)
                done = run('compare', *files, '--json', '-')
                self.assertEqual(done.returncode, 0, done.stderr)
                result = json.loads(done.stdout)
                self.assertEqual(told(schema.iter_errors(result)), '')
                self.assertFalse(schema.is_valid({**result, 'more': 1}))
                self.needs_every_key(schema, result)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
