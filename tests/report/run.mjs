// run.mjs HOPSIM: pages of `hopsim run`.
import assert from 'node:assert/strict';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cells, drawn, kDark, kPhone, launch, open, overflow, runHopsim, shoot, stat } from './browser.mjs';

const kHopsim = process.argv[2];
const kRoot = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
const kRing = `
name: ring
machine: {topology: {kind: ring, shape: [8]}, link: {bandwidth: 45 GB/s, latency: 1 us}}
program:
  - {all_gather: {axis: X, bytes: 32 MiB}}
  - {all_reduce: {axis: X, bytes: 1 MiB}}
expect:
  # 33554432 B x 7/8 / 90 GB/s
  - {step: 1, time: 326.224 us + 4 us, within: 0.01%, source: "V(N-1)/(N 2W) + 4 hops"}
  - {step: 2, time: 1 us, within: 0%}   # fails
`;
const kTorus = `
name: behind
machine: {chip: tpu_v5p, slice: 4x4x4, ideal: true}
program:
  - parallel:
      - {all_gather: {axis: X, bytes: 32 MiB}}
      - {matmul: {m: 4096, n: 4096, k: 2048}}
  - {all_reduce: {axis: XYZ, bytes: 64 MiB}}
`;
const kNumbers = [
  'time_s',
  'closed_form_s',
  'lower_bound_s',
  'bytes',
  'algbw_Bps',
  'busbw_Bps',
  'start_s',
  'messages',
];

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

async function compareSteps(page, result, text) {
  const rows = await cells(page, 'Steps');
  assert.equal(rows.length, result.steps.length);
  result.steps.forEach((step, i) => {
    for (const key of kNumbers) assert.equal(Number(rows[i][key].value), step[key], `${step.text} ${key}`);
    assert.equal(rows[i].text.value, step.text);
    // The terminal's table has the same words for the same numbers.
    for (const key of ['time_s', 'closed_form_s', 'lower_bound_s'])
      assert.ok(text.includes(rows[i][key].text), `${rows[i][key].text} is not in\n${text}`);
  });
}

const linksDrawn = (page) =>
  page.evaluate(() => {
    const shares = new Map(
      [...document.querySelectorAll('[data-link]')].map((link) => [link.dataset.link, Number(link.dataset.value)]),
    );
    return [...shares.values()];
  });

// What of the pictures of links lies outside of them, by more than half a pixel: [[name of mark, box]].
const outside = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('svg.fabric')].flatMap((picture) => {
      const { x, y, width, height } = picture.viewBox.baseVal;
      return [...picture.querySelectorAll('path, text, rect, circle')]
        .map((mark) => {
          const box = mark.getBBox();
          const half = mark.matches('path') ? parseFloat(getComputedStyle(mark).strokeWidth) / 2 : 0;
          return [mark.outerHTML, box.x - half, box.y - half, box.x + box.width + half, box.y + box.height + half];
        })
        .filter(
          ([, left, top, right, bottom]) =>
            left < x - 0.5 || top < y - 0.5 || right > x + width + 0.5 || bottom > y + height + 0.5,
        );
    }),
  );

const picture = (page) => page.evaluate(() => document.querySelector('canvas.timeline').toDataURL());

const colors = (page) =>
  page.evaluate(() => {
    const canvas = document.querySelector('canvas.timeline');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });

test('a ring: the numbers of the JSON, a circle of links, what was expected', async () => {
  const { page: file, result, text } = runHopsim(kHopsim, ['run', '-'], { input: kRing, status: 1 });
  const { page, faults } = await open(browser, file);
  assert.equal(await page.title(), 'ring - hopsim');
  await compareSteps(page, result, text);
  for (const [label, key] of [
    ['time', 'time_s'],
    ['compute', 'compute_s'],
    ['communication', 'comm_s'],
    ['exposed', 'exposed_comm_s'],
    ['hidden', 'overlap'],
  ])
    assert.equal((await stat(page, label)).value, result[key], label);
  const shares = await linksDrawn(page);
  assert.equal(shares.length, result.machine.links);
  assert.ok(Math.abs(Math.max(...shares) - result.links.max_utilization) < 1e-9);
  const outcomes = await page.locator('table:has(caption:text-is("Expected and measured")) tbody tr').allInnerTexts();
  assert.match(outcomes[0], /✓ as expected/);
  assert.match(outcomes[1], /✗ not as expected/);
  assert.deepEqual(await outside(page), []);
  await shoot(page, 'run-ring');
  assert.deepEqual(faults, []);
});

test('a torus: planes, a timeline that zooms, a critical path without gaps', async () => {
  const { page: file, result, text } = runHopsim(kHopsim, ['run', '-', '--critical-path'], { input: kTorus });
  const { page, faults } = await open(browser, file);
  await compareSteps(page, result, text);
  assert.equal(await page.locator('.panel svg.fabric').count(), 4);
  assert.equal((await linksDrawn(page)).length, 384);
  const parts = await cells(page, 'What the steps on the critical path waited for');
  const sum = parts.reduce((total, row) => total + Number(row.total_s.value), 0);
  assert.ok(Math.abs(sum / result.time_s - 1) < 1e-9);
  assert.ok((await colors(page)) > 6);
  const whole = await picture(page);
  await page.locator('canvas.timeline').focus();
  await page.keyboard.press('+');
  await page.waitForTimeout(100);
  assert.notEqual(await picture(page), whole);
  await page.keyboard.press('0');
  await page.waitForTimeout(100);
  assert.equal(await picture(page), whole);
  const tip = page.locator('[role=tooltip]');
  await page.locator('canvas.timeline').hover({ position: { x: 300, y: 35 } });
  assert.match(await tip.innerText(), /critical path/);
  await page.locator('[data-link="0"]').first().hover({ force: true });
  const { link, utilization } = result.links.busiest[0];
  assert.ok((await tip.innerText()).startsWith(link));
  assert.ok((await tip.innerText()).includes(`${(utilization * 100).toFixed(1)} %`));
  await page.mouse.move(1, 1);
  assert.deepEqual(await outside(page), []);
  await shoot(page, 'run-torus');
  assert.deepEqual(faults, []);
});

test('GPU nodes: switches in layers', async () => {
  const { page: file, result } = runHopsim(kHopsim, ['run', '-'], {
    input: 'machine: {chip: h100_sxm, slice: 2x8}\nprogram: [{all_reduce: {bytes: 64 MiB}}]\n',
  });
  const { page, faults } = await open(browser, file);
  assert.equal(await page.locator('svg.fabric rect.chip').count(), 16);
  assert.ok((await page.locator('svg.fabric circle.switch').count()) >= 2);
  assert.equal((await linksDrawn(page)).length, result.machine.links);
  assert.deepEqual(await outside(page), []);
  await page.locator('svg.fabric circle.switch').first().hover({ force: true });
  assert.match(await page.locator('[role=tooltip]').innerText(), /switch \d+/);
  await shoot(page, 'run-gpus');
  assert.deepEqual(faults, []);
});

test('two switches: the cable between them is in the picture, and their names', async () => {
  const { page: file, result } = runHopsim(kHopsim, ['run', path.join(kRoot, 'scenarios/fabrics/two_switches.yaml')]);
  const { page, faults } = await open(browser, file);
  assert.deepEqual(await outside(page), []);
  const most = Math.max(...(await linksDrawn(page)));
  assert.ok(Math.abs(most - result.links.max_utilization) < 1e-9);
  const names = await page.locator('svg.fabric text').allTextContents();
  assert.deepEqual(names.sort(), ['(0)', '(1)', '(2)', '(3)', '(4)', '(5)', 'switch 0', 'switch 1']);
  await shoot(page, 'run-two-switches');
  assert.deepEqual(faults, []);
});

test('a pod of GPUs: nodes and alike switches as one, and every link in a bundle', async () => {
  const { page: file, result } = runHopsim(kHopsim, ['run', '-'], {
    input: 'machine: {chip: h100_sxm, slice: 8x8}\nprogram: [{all_gather: {bytes: 64 MiB}}]\n',
  });
  const { page, faults } = await open(browser, file);
  assert.equal(await page.locator('svg.fabric rect.chip').count(), 8);
  const bundles = await page
    .locator('[data-link]')
    .evaluateAll((links) => links.map(({ dataset }) => [Number(dataset.count), Number(dataset.value)]));
  assert.equal(
    bundles.reduce((sum, [count]) => sum + count, 0),
    result.machine.links,
  );
  assert.ok(Math.abs(Math.max(...bundles.map(([, share]) => share)) - result.links.max_utilization) < 1e-9);
  assert.deepEqual(await outside(page), []);
  await shoot(page, 'run-pod');
  assert.deepEqual(faults, []);
});

const kUnits = { s: 1, 'B/s': 1, FLOP: 1, us: 1e-6, ms: 1e-3, 'GB/s': 1e9, TFLOP: 1e12 };

// What a cell says: the number in units, or what stands below it with every digit.
function exactly(text) {
  const [, number, unit] = /([-\d.e+]+) ?(\S*)$/.exec(text.trim());
  return Number(number) * (kUnits[unit] ?? NaN);
}

test('what was expected, in units and with every digit', async () => {
  const { page: file, result } = runHopsim(kHopsim, [
    'run',
    ...['megatron/attention', 'fabrics/dgx1_rings'].map((name) => path.join(kRoot, `scenarios/${name}.yaml`)),
  ]);
  const { page, faults } = await open(browser, file);
  const rows = await page.evaluate(() =>
    [...document.querySelectorAll('table')]
      .filter((table) => table.caption.textContent === 'Expected and measured')
      .map((table) =>
        [...table.tBodies[0].rows].map((row) =>
          ['value', 'expected'].map((key) => row.querySelector(`[data-key=${key}]`).innerText),
        ),
      ),
  );
  result.forEach(({ expect }, run) =>
    expect.forEach(({ what, value, expected }, i) => {
      [value, expected].forEach((number, k) => {
        const text = rows[run][i][k];
        assert.ok(Math.abs(exactly(text) / number - 1) < 1e-15, `${what}: ${text} is not ${number}`);
      });
    }),
  );
  assert.match(rows[0][1][0], /^1\.3744 TFLOP\s+1374389534720 FLOP$/);
  assert.match(rows[1][0][0], /^149\.94 GB\/s\s+149940148683\.\d+ B\/s$/);
  assert.deepEqual(faults, []);
});

// "  x48" of a folded row; 1 of others.
const countOf = (text) => Number(/ {2}x(\d+)$/.exec(text)?.[1] ?? 1);

test('a stack of layers: alike steps share a row until they are unfolded', async () => {
  const scenario = path.join(kRoot, 'scenarios/megatron/recompute_full.yaml');
  const { page: file, result, text } = runHopsim(kHopsim, ['run', scenario, '--critical-path']);
  const { page, faults } = await open(browser, file);
  const folded = await cells(page, 'Steps');
  const counts = folded.map((row) => countOf(row.text.text));
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    result.steps.length,
  );
  const lines = text.split('\n').slice(2);
  const printed = lines.slice(
    0,
    lines.findIndex((line) => !/^\d/.test(line)),
  );
  assert.equal(folded.length, printed.length);
  printed.forEach((line, i) => assert.ok(counts[i] === 1 || line.includes(`  x${counts[i]} `), line));
  folded.forEach((row, i) => {
    const alike = result.steps.filter((step) => step.text === row.text.value);
    assert.ok(alike.length >= counts[i] && alike.some((step) => row.time_s.value === String(step.time_s)));
  });
  assert.ok((await page.evaluate(() => document.documentElement.scrollHeight)) < 9000);
  await shoot(page, 'run-layers');
  const onPath = 'What the steps on the critical path waited for';
  const total = async () => (await cells(page, onPath)).reduce((sum, row) => sum + Number(row.total_s.value), 0);
  assert.ok(Math.abs((await total()) / result.time_s - 1) < 1e-9);
  for (const box of await page.getByLabel('rows that are alike as one').all()) await box.uncheck();
  await compareSteps(page, result, text);
  assert.ok(Math.abs((await total()) / result.time_s - 1) < 1e-9);
  assert.equal((await cells(page, onPath)).length, new Set(result.critical_path.map(({ step }) => step)).size);
  assert.ok((await page.evaluate(() => document.documentElement.scrollHeight)) < 9000);
  assert.deepEqual(faults, []);
});

test('no colour of a step is near that of a cause', async () => {
  const { page: file } = runHopsim(kHopsim, ['run', '-', '--critical-path'], { input: kTorus });
  for (const look of [undefined, kDark]) {
    const { page } = await open(browser, file, look);
    const least = await page.evaluate(() => {
      const context = document.createElement('canvas').getContext('2d');
      const rgb = (name) => {
        context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
        return [1, 3, 5].map((at) => parseInt(context.fillStyle.slice(at, at + 2), 16));
      };
      const steps = ['compute', 'communication'].flatMap((family) => [1, 2, 3, 4, 5, 6].map((i) => `${family}-${i}`));
      const causes = 'compute exposed transfer latency own_queue link_wait overhead launch host_load other';
      const away = (a, b) => Math.hypot(...rgb(a).map((part, i) => part - rgb(b)[i]));
      return steps
        .flatMap((step) => causes.split(' ').map((cause) => [away(step, `kind-${cause}`), step, cause]))
        .sort(([a], [b]) => a - b)[0];
    });
    assert.ok(least[0] > 40, least.join(' '));
  }
});

test('several files, and a name that would be markup', async () => {
  const hostile = kRing
    .replace('name: ring', 'name: "<img src=x onerror=alert(1)></script><b>"')
    .replace(/expect[^]*/, '');
  const { page: file, result } = runHopsim(
    kHopsim,
    ['run', '-', path.join(kRoot, 'scenarios/book/ch3_quiz2_allgather.yaml')],
    { input: hostile },
  );
  const { page, faults } = await open(browser, file);
  const rows = await cells(page, 'Scenarios');
  assert.deepEqual(
    rows.map((row) => Number(row.time_s.value)),
    result.map((run) => run.time_s),
  );
  assert.equal(await page.locator('article.run').count(), 2);
  assert.equal(await page.locator('article.run > h2').first().textContent(), result[0].scenario);
  assert.equal(await page.locator('img, b').count(), 0);
  await page.getByRole('link', { name: result[1].scenario }).click();
  assert.ok(
    await page
      .locator('article.run > h2')
      .nth(1)
      .evaluate((heading) => heading.getBoundingClientRect().top < 500),
  );
  await shoot(page, 'run-several');
  assert.deepEqual(faults, []);
});

test('a partial run says so', async () => {
  const { page: file, result } = runHopsim(kHopsim, ['run', '-', '--max-time', '350us'], {
    input: kRing.replace(/expect[^]*/, ''),
  });
  assert.equal(result.partial, true);
  const { page, faults } = await open(browser, file);
  assert.match(await page.locator('.banner').textContent(), /Partial result.*1 had ended/);
  const rows = await cells(page, 'Steps');
  assert.ok(rows[1].time_s.text.startsWith('> '));
  assert.equal((await stat(page, 'time so far')).value, result.time_s);
  await shoot(page, 'run-partial');
  assert.deepEqual(faults, []);
});

test('a folded run has no single links, but the busiest', async () => {
  const { page: file, result } = runHopsim(kHopsim, ['run', '-', '--fold', 'on'], { input: kRing, status: 1 });
  const { page, faults } = await open(browser, file);
  assert.equal((await linksDrawn(page)).length, 0);
  const rows = await cells(page, 'The busiest links');
  assert.deepEqual(
    rows.map((row) => Number(row.utilization.value)),
    result.links.busiest.map((link) => link.utilization),
  );
  assert.deepEqual(faults, []);
});

test('dark, and when the theme changes', async () => {
  const { page: file } = runHopsim(kHopsim, ['run', '-', '--critical-path'], { input: kTorus });
  const { page, faults } = await open(browser, file, kDark);
  const look = () =>
    page.evaluate(() => [
      getComputedStyle(document.body).backgroundColor,
      document.querySelector('.chart svg text').getAttribute('fill'),
    ]);
  const dark = await look();
  await shoot(page, 'run-torus-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.waitForFunction(
    (before) => document.querySelector('.chart svg text')?.getAttribute('fill') !== before,
    dark[1],
  );
  await drawn(page);
  const light = await look();
  assert.notEqual(light[0], dark[0]);
  assert.notEqual(light[1], dark[1]);
  assert.deepEqual(faults, []);
});

test('on a phone nothing is wider than the screen', async () => {
  const { page: file } = runHopsim(kHopsim, ['run', '-', '--critical-path'], { input: kTorus });
  const { page, faults } = await open(browser, file, kPhone);
  assert.equal(await overflow(page), 0);
  await shoot(page, 'run-torus-phone');
  assert.deepEqual(faults, []);
});
