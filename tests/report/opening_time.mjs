#!/usr/bin/env node
// opening_time.mjs PAGE...: seconds from when a page begins to load until all is drawn; the middle one of five.
process.env.CHROMIUM ??= '/usr/bin/chromium';
const { launch, open } = await import('./browser.mjs');

const browser = await launch();
for (const file of process.argv.slice(2)) {
  const times = [];
  for (let i = 0; i < 5; i += 1) {
    const { page } = await open(browser, file);
    times.push(await page.evaluate(() => performance.now() / 1000));
    await page.close();
  }
  console.log(`${file}: ${times.sort((a, b) => a - b)[2].toFixed(2)} s`);
}
await browser.close();
