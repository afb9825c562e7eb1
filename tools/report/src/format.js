// Quantities as hopsim's tables print them: five significant digits, the largest unit that leaves at least 1.

const kTimes = [
  [1e-12, 'ps'],
  [1e-9, 'ns'],
  [1e-6, 'us'],
  [1e-3, 'ms'],
  [1, 's'],
];
const kRates = scales('B/s');
const kFlops = [...scales('FLOP'), [1e18, 'EFLOP']];
const kFlopRates = [...scales('FLOP/s'), [1e18, 'EFLOP/s']];
const kDecimalSizes = scales('B');
const kBinarySizes = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'].map((name, power) => [1024 ** power, name]);

function scales(unit) {
  return ['', 'k', 'M', 'G', 'T', 'P'].map((prefix, power) => [1000 ** power, prefix + unit]);
}

function digits(value) {
  return Math.abs(value) >= 99999.5 ? value.toFixed(0) : String(Number(value.toPrecision(5)));
}

function scaled(value, table) {
  let chosen = table[0];
  for (const scale of table) if (Math.abs(value) / scale[0] >= 0.999995) chosen = scale;
  return { number: digits(value / chosen[0]), size: chosen[0], unit: chosen[1] };
}

const spelt = ({ number, unit }) => `${number} ${unit}`;

// Does the text of a size say all its bytes?
function isExact({ number, size }, bytes) {
  const [whole, fraction = ''] = number.split('.');
  return BigInt(whole + fraction) * BigInt(size) === BigInt(bytes) * 10n ** BigInt(fraction.length);
}

export const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

const orDash = (format) => (value) => (isNumber(value) ? format(value) : '-');

export const formatTime = orDash((seconds) => (seconds === 0 ? '0 s' : spelt(scaled(seconds, kTimes))));

export const formatBytes = orDash((size) => {
  const bytes = Math.round(size);
  const [decimal, binary] = [scaled(bytes, kDecimalSizes), scaled(bytes, kBinarySizes)];
  const shorter = spelt(decimal).length < spelt(binary).length;
  return spelt(isExact(decimal, bytes) && (shorter || !isExact(binary, bytes)) ? decimal : binary);
});

export const formatRate = orDash((rate) => (rate > 0 ? spelt(scaled(rate, kRates)) : '-'));
export const formatFlopRate = orDash((rate) => spelt(scaled(rate, kFlopRates)));
export const formatFlops = orDash((flops) => spelt(scaled(flops, kFlops)));
export const formatPercent = orDash((share) => `${(share * 100).toFixed(1)} %`);
export const formatRatio = orDash((ratio) => ratio.toFixed(3));
export const formatTimes = orDash((ratio) => `${ratio.toFixed(2)}x`);
export const formatNumber = orDash((value) => String(Number(value.toPrecision(6))));
export const formatCount = orDash((value) => String(value));

const kByUnit = {
  s: formatTime,
  B: formatBytes,
  'B/s': formatRate,
  FLOP: formatFlops,
  'FLOP/s': formatFlopRate,
  '%': formatPercent,
};

// A number in base units of `unit`, a share where that is %; without one as it is.
export const formatQuantity = (value, unit) => (kByUnit[unit] ?? formatNumber)(value);

const kSizes = new Map(
  [kTimes, kRates, kFlops, kFlopRates, kDecimalSizes, kBinarySizes].flat().map(([size, name]) => [name, size]),
);

// Does a text of formatQuantity say all of its number?
export function saysAll(text, value) {
  const [number, unit] = text.split(' ');
  return Math.abs(Number(number) * (kSizes.get(unit) ?? 1) - value) <= Math.abs(value) * 1e-13;
}

// The unit of a key of the results: "steps.0.busbw_Bps", "memory.arrays.0.bytes_per_chip"; "" of plain numbers.
export function unitOfKey(path) {
  const key = path.split('.').filter((part) => !/^\d+$/.test(part)).at(-1);
  if (key === 'time' || key.endsWith('_s')) return 's';
  if (key.endsWith('_Bps')) return 'B/s';
  if (key === 'flops') return 'FLOP';
  return key.split('_').includes('bytes') ? 'B' : '';
}

// What a tooltip says beside the rounded text: every digit, in base units.
export const exactly = (value, unit = '') => (isNumber(value) ? `${value}${unit ? ` ${unit}` : ''}` : '');

export const quotient = (value, by) => (isNumber(value) && isNumber(by) && by > 0 ? value / by : null);

// Who did the work, as people say it.
export const engineName = (engine) => (engine === 'event' ? 'hopsim’s own engine' : `engine ${engine}`);

export const plural = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;

export const shorten = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
