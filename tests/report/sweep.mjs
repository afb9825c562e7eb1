// sweep.mjs HOPSIM: pages of `hopsim sweep`.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after, before } from 'node:test';
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
    ['along', 'slice'],
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
