// collective.mjs HOPSIM: pages of `hopsim collective`.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { cells, kDark, kPhone, launch, makeFolder, open, overflow, runHopsim, shoot } from './browser.mjs';

const kHopsim = process.argv[2];
const kRing = ['collective', 'all_gather', '--machine', 'tpu_v5e:16x16', '--axis', 'X', '--ideal'];
const kNumbers = [
  'bytes',
  'nccl_bytes',
  'time_s',
  'algbw_Bps',
  'busbw_Bps',
  'closed_form_s',
  'lower_bound_s',
  'link_share',
];

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

async function compareRows(page, result) {
  const rows = await cells(page, 'Every size');
  assert.equal(rows.length, result.rows.length);
  result.rows.forEach((row, i) => {
    for (const key of kNumbers) assert.equal(Number(rows[i][key].value), row[key], `row ${i} ${key}`);
    assert.equal(rows[i].algorithm.value, row.algorithm);
  });
}

const marks = (page, selector) => page.locator(`.chart-pair ${selector}`).count();

test('curves over sizes, and the numbers of the JSON', async () => {
  const { page: file, result, text } = runHopsim(kHopsim, [...kRing, '--bytes', '1KiB..64MiB*4']);
  const { page, faults } = await open(browser, file);
  await compareRows(page, result);
  for (const {
    time_s: { text: time },
  } of await cells(page, 'Every size'))
    assert.ok(text.includes(time), time);
  // 8 hops of 1 us are as long as the bytes of V (N-1)/(N W) at V = 8 us x 90 GB/s x 16/15.
  const knee = await page.locator('.notes [data-value]').first().getAttribute('data-value');
  assert.ok(Math.abs(Number(knee) / (8e-6 * 90e9 * (16 / 15)) - 1) < 1e-9);
  assert.equal(await marks(page, 'svg .layer_0_marks.mark-rect path'), 2); // the shades of both charts
  await shoot(page, 'collective-ring');
  assert.deepEqual(faults, []);
});

test('several operations, with measured times', async () => {
  const measured = path.join(makeFolder(), 'measured.csv');
  fs.writeFileSync(measured, 'op,bytes,time_us\nall_gather,1048576,25\nall_reduce,1048576,44.5\n');
  const given = [
    'collective',
    'all_gather',
    'all_reduce',
    '--machine',
    'tpu_v5p:4x4x4',
    '--axis',
    'XYZ',
    '--bytes',
    '64KiB,1MiB,16MiB',
    '--measured',
    measured,
  ];
  const { page: file, result } = runHopsim(kHopsim, given);
  const { page, faults } = await open(browser, file);
  await compareRows(page, result);
  const rows = await cells(page, 'Every size');
  assert.deepEqual(
    rows.filter((row) => row.measured_s.value).map((row) => Number(row.measured_s.value)),
    [25e-6, 44.5e-6],
  );
  assert.equal(await page.locator('.panel svg.fabric').count(), 4);
  await shoot(page, 'collective-measured');
  assert.deepEqual(faults, []);
});

test('dark, and on a phone', async () => {
  const { page: file } = runHopsim(kHopsim, [...kRing, '--bytes', '1KiB..64MiB*4']);
  const dark = await open(browser, file, kDark);
  await shoot(dark.page, 'collective-ring-dark');
  const phone = await open(browser, file, kPhone);
  assert.equal(await overflow(phone.page), 0);
  await shoot(phone.page, 'collective-ring-phone');
  assert.deepEqual([...dark.faults, ...phone.faults], []);
});
