// Opens pages of hopsim in Chromium and notes whatever a sound page does not do.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const kBuild = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../build/report-tests');
const kShots = path.join(kBuild, 'screenshots');
const { chromium } = createRequire(path.join(kBuild, 'package.json'))('playwright-core');

export const kDesk = { viewport: { width: 1200, height: 800 }, colorScheme: 'light' };
export const kDark = { ...kDesk, colorScheme: 'dark' };
export const kPhone = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, colorScheme: 'light' };

// As root Chromium has no sandbox; its page is one that we wrote.
export function launch() {
  const asRoot = process.getuid() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: process.env.CHROMIUM, args: [...asRoot, '--disable-dev-shm-usage'] });
}

const folders = [];
process.on('exit', () => folders.forEach((folder) => fs.rmSync(folder, { recursive: true, force: true })));

// A folder that is gone with the process.
export function makeFolder() {
  folders.push(fs.mkdtempSync(path.join(os.tmpdir(), 'hopsim-report-')));
  return folders.at(-1);
}

// Runs hopsim with --html and --json in a folder of its own; `input` is a scenario. {page, result, text, bytes}.
export function runHopsim(hopsim, given, { input, status = 0, json = true } = {}) {
  const folder = makeFolder();
  const [page, result] = ['page.html', 'result.json'].map((name) => path.join(folder, name));
  const done = spawnSync(hopsim, [...given, '--html', page, ...(json ? ['--json', result] : [])], { input });
  if (done.status !== status) throw new Error(`hopsim ${given.join(' ')}: exit code ${done.status}\n${done.stderr}`);
  return {
    page,
    text: String(done.stdout),
    bytes: fs.statSync(page).size,
    result: json ? JSON.parse(fs.readFileSync(result)) : null,
  };
}

function watch(page, own) {
  const faults = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.stack}`));
  page.on('request', (request) => {
    if (request.url() !== own && !/^(data|blob):/.test(request.url())) faults.push(`request: ${request.url()}`);
  });
  return faults;
}

export const drawn = (page) => page.waitForFunction(() => document.documentElement.dataset.drawn === 'true');

// A page with all its charts drawn, and the list of what went wrong on it, which grows.
export async function open(browser, file, look = kDesk) {
  const page = await browser.newPage(look);
  page.setDefaultTimeout(20_000);
  const own = pathToFileURL(file).href;
  const faults = watch(page, own);
  await page.goto(own);
  await drawn(page);
  return { page, faults };
}

export async function shoot(page, name) {
  fs.mkdirSync(kShots, { recursive: true });
  await page.screenshot({ path: path.join(kShots, `${name}.png`), fullPage: true });
}

// How much wider than its window a page is, in pixels.
export const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

// The cells of a table by its caption: rows of {key: {value, text}}.
export function cells(page, caption) {
  return page.evaluate((wanted) => {
    const table = [...document.querySelectorAll('table')].find((one) => one.caption?.textContent === wanted);
    return [...table.tBodies[0].rows].map((row) =>
      Object.fromEntries(
        [...row.cells]
          .filter((cell) => cell.dataset.key)
          .map((cell) => [cell.dataset.key, { value: cell.dataset.value, text: cell.textContent }]),
      ),
    );
  }, caption);
}

export const stat = (page, label) =>
  page.evaluate((wanted) => {
    const found = [...document.querySelectorAll('[data-stat]')].find((one) => one.dataset.stat === wanted);
    return found && { value: Number(found.dataset.value), text: found.textContent };
  }, label);
