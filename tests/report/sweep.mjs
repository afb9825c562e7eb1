// sweep.mjs HOPSIM: pages of `hopsim sweep`.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cells, drawn, kDark, kPhone, launch, makeFolder, open, overflow, runHopsim, shoot } from './browser.mjs';

const kHopsim = process.argv[2];
const kMostBytes = 5e6;
const kTwoKeys = `
name: shapes
machine: {chip: tpu_v5p, slice: 4x4x4, ideal: true}
dims: {B: 4096, D: 8192}
program:
  - 'A[B, D] = AllGather_X(A[B_X, D])'
sweep:
  machine.slice: [4x4x4, 8x4x4, 2x4x8, '<img src=x onerror=alert(1)>']
  dims.B: [4096, 16384, 65536]
`;
const kMany = `
name: many
machine: {topology: {kind: ring, shape: [8]}, link: {bandwidth: 45 GB/s, latency: 1 us}}
program:
  - {all_reduce: {axis: X, bytes: 1 MiB}}
sweep:
  machine.topology.shape: [[4], [8], [16], [32]]
  program.0.all_reduce.bytes: 1 MiB .. 128 MiB + 1 MiB
`;

const kThreeKeys = `
name: three
machine: {chip: tpu_v5p, slice: 4x4x4, ideal: true}
program:
  - {all_gather: {axis: Z, bytes: 1 MiB}}
sweep:
  machine.slice: [4x4x4, 4x4x8, 4x4x12]
  program.0.algorithm: [ring, bidirectional_ring]
  program.0.all_gather.bytes: 1 KiB .. 1 MiB * 4
`;

const kSweeps = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../scenarios/sweeps');

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

function sweep(scenario) {
  const file = path.join(makeFolder(), 'sweep.yaml');
  fs.writeFileSync(file, scenario);
  return runHopsim(kHopsim, ['sweep', file]);
}

const shipped = (name, ...more) => runHopsim(kHopsim, ['sweep', path.join(kSweeps, `${name}.yaml`), ...more]);

const kChart = 'section:has(h2:text-is("What it takes")) .chart';
// Dots, bars, or cells of a heat map; not the rings around the best.
const pointsDrawn = (page) =>
  page.evaluate(() => document.querySelectorAll('[class*="points"]:is(.mark-symbol, .mark-rect) > path').length);
const linesDrawn = (page) => page.locator(`${kChart} .mark-line > path`).count();
const chosen = (page, label) =>
  page.getByLabel(label, { exact: true }).evaluate((menu) => menu.selectedOptions[0].textContent);
const menus = (page) => page.locator(`section:has(h2:text-is("What it takes")) .control label`).allInnerTexts();
async function choose(page, label, option) {
  await page.getByLabel(label, { exact: true }).selectOption({ label: option });
  await page.waitForTimeout(50);
  await drawn(page);
}

const ran = ({ points }) => points.filter((point) => point.result);
const values = async (page, key) => (await cells(page, 'Every point')).map((row) => row[key]?.value);
const ascending = (numbers) => numbers.every((number, i) => i === 0 || numbers[i - 1] <= number);

test('two keys: the numbers of the JSON, errors as rows', async () => {
  const { page: file, result } = sweep(kTwoKeys);
  const { page, faults } = await open(browser, file);
  const rows = await cells(page, 'Every point');
  assert.equal(rows.length, 12);
  result.points.forEach((point, i) => {
    assert.equal(rows[i].time_s?.value, point.result ? String(point.result.time_s) : undefined);
    if (point.result)
      assert.equal(Number(rows[i].peak_bytes_per_chip.value), point.result.memory.peak_bytes_per_chip);
  });
  const errors = await page.locator('tr.error').allInnerTexts();
  assert.equal(errors.length, 12 - ran(result).length);
  assert.ok(errors.every((text) => text.includes('got <img src=x onerror=alert(1)>')));
  assert.equal(await page.locator('img').count(), 0);
  await shoot(page, 'sweep-shapes');
  assert.deepEqual(faults, []);
});

test('headings sort, by mouse and by keyboard; the filter keeps what matches', async () => {
  const { page: file, result } = sweep(kTwoKeys);
  const { page, faults } = await open(browser, file);
  const times = async () => (await values(page, 'time_s')).filter((value) => value !== undefined).map(Number);
  const heading = page.locator('th:has(button:text-is("time"))');
  await heading.locator('button').click();
  assert.equal(await heading.getAttribute('aria-sort'), 'ascending');
  assert.ok(ascending(await times()));
  assert.equal((await values(page, 'time_s')).at(-1), undefined); // what did not run is last
  await page.keyboard.press('Enter');
  assert.equal(await heading.getAttribute('aria-sort'), 'descending');
  assert.ok(ascending((await times()).reverse()));
  await page.locator('th button:text-is("B")').click();
  assert.ok(ascending((await values(page, 'dims.B')).map(Number)));
  assert.equal(await heading.getAttribute('aria-sort'), null);
  await page.getByRole('searchbox').fill('4X4X4 65536');
  assert.deepEqual(await values(page, 'time_s'), [String(result.points[2].result.time_s)]);
  assert.match(await page.getByRole('status').textContent(), /^1 of 12 rows/);
  await page.getByRole('searchbox').fill('no such point');
  assert.equal((await cells(page, 'Every point')).length, 0);
  assert.deepEqual(faults, []);
});

test('another metric, other axes, a heat map', async () => {
  const { page: file } = sweep(kTwoKeys);
  const { page, faults } = await open(browser, file);
  const chart = () => page.locator('section:has(h2:text-is("What it takes")) .chart').innerHTML();
  let before = await chart();
  for (const [label, option] of [
    ['metric', 'peak memory of a chip'],
    ['as', 'heat map'],
    ['by', 'nothing'],
    ['along', 'B'],
  ]) {
    await page.getByLabel(label, { exact: true }).selectOption(option);
    await page.waitForTimeout(50);
    await drawn(page);
    assert.notEqual(await chart(), before, `${label}: ${option}`);
    before = await chart();
    if (option === 'heat map') await shoot(page, 'sweep-heat-map');
  }
  assert.deepEqual(faults, []);
});

// {scenario: [along, by, lines]}; points of words are joined by none.
const kOpens = {
  best_slice_3d: ['slice', 'chip', 0],
  best_slice_2d: ['slice', 'chip', 0],
  tensor_parallel_degree: ['mesh', 'batch', 0],
  all_to_all_aspect_ratio: ['shape', 'kind', 0],
  ch3_time_against_chips: ['slice', 'bytes', 0],
  all_reduce_64_chips: [null, null, 0],
  one_way_or_both: ['bytes', 'algorithm', 2],
  collective_matmul_chunks: ['chunks', 'M', 5],
};
for (const [name, [along, by, lines]] of Object.entries(kOpens))
  test(`${name} opens on all of its points`, async () => {
    const { page: file, result } = shipped(name);
    const { page, faults } = await open(browser, file);
    assert.equal(await pointsDrawn(page), ran(result).length);
    assert.equal(await linesDrawn(page), lines);
    assert.deepEqual(await menus(page), along ? ['metric', 'along', 'by', 'as'] : ['metric']);
    if (along) assert.deepEqual([await chosen(page, 'along'), await chosen(page, 'by')], [along, by]);
    await shoot(page, `sweep-${name}`);
    assert.deepEqual(faults, []);
  });

test('keys that move together are one choice, and whatever is chosen leaves points', async () => {
  const { page: file, result } = shipped('tensor_parallel_degree');
  const { page, faults } = await open(browser, file);
  const options = (label) => page.getByLabel(label, { exact: true }).locator('option').allInnerTexts();
  assert.deepEqual(await options('along'), ['batch', 'mesh']);
  await choose(page, 'along', 'batch');
  assert.equal(await pointsDrawn(page), result.points.length);
  assert.equal(await linesDrawn(page), 4);
  const ticks = await page.locator(`${kChart} .role-axis-label text`).allTextContents();
  assert.deepEqual(
    ['4', '16', '64', '256'].filter((tick) => !ticks.includes(tick)),
    [],
  );
  await choose(page, 'as', 'heat map');
  assert.equal(await pointsDrawn(page), result.points.length);
  await page.getByRole('searchbox').fill('{T: 4, D: 16}');
  assert.equal((await cells(page, 'Every point')).length, 3);
  await page.getByRole('searchbox').fill('256 "T: 4,"');
  assert.equal((await cells(page, 'Every point')).length, 1);
  assert.deepEqual(faults, []);
});

test('a third key is told apart by series, or held', async () => {
  const { page: file } = sweep(kThreeKeys); // 3 slices x 2 algorithms x 6 sizes
  const { page, faults } = await open(browser, file);
  assert.equal(await pointsDrawn(page), 36);
  await choose(page, 'along', 'bytes');
  assert.equal(await pointsDrawn(page), 36);
  assert.equal(await linesDrawn(page), 6);
  const [held] = (await menus(page)).filter((label) => !['metric', 'along', 'by', 'as'].includes(label));
  assert.equal(await chosen(page, held), 'all');
  await choose(page, held, held === 'slice' ? '4x4x8' : 'ring');
  assert.equal(await pointsDrawn(page), held === 'slice' ? 12 : 18);
  assert.match(await page.locator('[data-points-drawn]').innerText(), /of 36 points drawn; (24|18) held back/);
  assert.deepEqual(faults, []);
});

test('points without the number are told of', async () => {
  const { page: file, result } = sweep(kTwoKeys);
  const { page } = await open(browser, file);
  assert.equal(await pointsDrawn(page), ran(result).length);
  assert.match(await page.locator('[data-points-drawn]').innerText(), /^9 of 12 points drawn; 3 did not run\./);
});

test('each work has a winner: cards of a few, else a table', async () => {
  const few = shipped('tensor_parallel_degree');
  const { page } = await open(browser, few.page);
  const cards = await page.locator('[data-stat="best of its work"]').evaluateAll((all) =>
    all.map(({ dataset }) => Number(dataset.value)),
  );
  assert.deepEqual(
    cards,
    few.result.best.map(({ value }) => value),
  );
  const many = shipped('best_slice_3d');
  const { page: other } = await open(browser, many.page);
  const rows = await cells(other, 'The best of each work');
  assert.deepEqual(
    rows.map((row) => [
      row['machine.chip'].value,
      Number(row['dims.N'].value),
      row.winner.value,
      Number(row.metric.value),
    ]),
    many.result.best.map(({ parameters, value }) => [
      parameters['machine.chip'],
      parameters['dims.N'],
      `slice ${parameters['machine.slice']}`,
      value,
    ]),
  );
  many.result.best.forEach(({ point, parameters }, i) => {
    const rivals = many.result.points.filter(
      (p, at) =>
        at !== point && ['machine.chip', 'dims.N'].every((key) => p.parameters[key] === parameters[key]),
    );
    assert.equal(Number(rows[i].next_metric.value), Math.min(...rivals.map(({ result }) => result.time_s)));
  });
});

// Of a batch the points that no other of the same batch beats in both.
function fronts({ points }) {
  const batch = ({ parameters }) => parameters['program.0.megatron_mlp.batch'];
  const numbers = ({ result }) => [result.time_s, result.memory.peak_bytes_per_chip];
  const beaten = (point) =>
    points.some((other) => {
      const [[time, memory], [otherTime, otherMemory]] = [numbers(point), numbers(other)];
      const better = otherTime < time || otherMemory < memory;
      return batch(other) === batch(point) && otherTime <= time && otherMemory <= memory && better;
    });
  return new Set(points.filter((point) => !beaten(point)).map((point) => `${batch(point)} ${numbers(point)}`)).size;
}

test('time against memory compares points of one batch', async () => {
  const { page: file, result } = shipped('tensor_parallel_degree');
  const { page } = await open(browser, file);
  assert.equal(await page.locator('[class*="front"].mark-symbol > path').count(), fronts(result));
});

test('the metric is in the menu once, by the name it has in the table', async () => {
  const { page: file } = shipped('tensor_parallel_degree', '--best', 'mfu');
  const { page } = await open(browser, file);
  const options = await page.getByLabel('metric', { exact: true }).locator('option').allInnerTexts();
  assert.deepEqual(
    options.filter((name) => name.toLowerCase() === 'mfu'),
    ['MFU'],
  );
  assert.equal(await page.locator('th button:text-matches("^mfu$", "i")').count(), 1);
});

test('warnings alike are one; ticks are exact; coinciding lines are both seen', async () => {
  const { page } = await open(browser, shipped('best_slice_3d').page);
  const notes = await page.locator('.notes > li > details > summary').allInnerTexts();
  assert.equal(notes.length, 1);
  assert.match(notes[0], /^7 of 36 points: a slice of .* is larger than a pod of tpu7x, 4x4x576$/);
  const { page: other } = await open(browser, shipped('ch3_problem10_benchmark').page);
  assert.ok((await other.locator(`${kChart} .role-axis-label text`).allTextContents()).includes('1048576'));
  const widths = await other
    .locator(`${kChart} .mark-line > path`)
    .evaluateAll((all) => all.map((line) => line.getAttribute('stroke-width')));
  assert.deepEqual(widths.sort(), ['2', '2', '2', '5']); // an AllGather takes as long as a ReduceScatter
});

test('512 points are under 5 MB, and can all be seen', async () => {
  const { page: file, result, bytes } = sweep(kMany);
  assert.equal(result.points.length, 512);
  assert.ok(bytes < kMostBytes, `${bytes} bytes`);
  const { page, faults } = await open(browser, file);
  assert.match(await page.getByRole('status').textContent(), /^512 of 512 rows/);
  await shoot(page, 'sweep-512');
  await page.getByRole('button', { name: 'Show more rows' }).click();
  assert.deepEqual(
    (await values(page, 'time_s')).map(Number),
    result.points.map((point) => point.result.time_s),
  );
  assert.deepEqual(faults, []);
});

test('dark, and on a phone', async () => {
  const { page: file } = sweep(kTwoKeys);
  const dark = await open(browser, file, kDark);
  await shoot(dark.page, 'sweep-shapes-dark');
  const phone = await open(browser, file, kPhone);
  assert.equal(await overflow(phone.page), 0);
  await shoot(phone.page, 'sweep-shapes-phone');
  assert.deepEqual([...dark.faults, ...phone.faults], []);
});
