// node render.mjs [options] DASHBOARD.json ..: draws dashboards in Chromium against a Prometheus and reports what is wrong with them.
//   --prometheus URL          the Prometheus to ask (default http://127.0.0.1:9090)
//   --out FOLDER              pictures go to FOLDER/NAME-WIDTH-THEME.png, a report to FOLDER/NAME-WIDTH-THEME.json
//   --width 1600,1000         --theme dark,light: every combination is drawn
//   --from now-1h --to now    another time range than the dashboard's
//   --var NAME=VALUE          (repeatable) the value of a variable that takes one
//   --scrape-ms 15000         the scrape interval that the data source is told
//   --height N                only the first N pixels go into the picture
//   --empty TITLE             (repeatable) this panel may be without data
// Exits 1 on any problem.
import { createReadStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { basename, dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const text = (value) => ({ type: 'string', default: value });
const { values: option, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    prometheus: text('http://127.0.0.1:9090'),
    out: text('.'),
    width: text('1600'),
    theme: text('dark'),
    from: { type: 'string' },
    to: { type: 'string' },
    var: { type: 'string', multiple: true, default: [] },
    'scrape-ms': text('15000'),
    height: { type: 'string' },
    empty: { type: 'string', multiple: true, default: [] },
  },
});
const HERE = dirname(fileURLToPath(import.meta.url));
const ICONS = join(HERE, '../node_modules/@grafana/ui/dist/public/img');
const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
};
const CHROMIUM = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let current = '';

// The page, its icons, the dashboard, and the way to Prometheus, all from one loopback address.
function serve(req, res) {
  const path = new URL(req.url, 'http://x').pathname;
  if (path === '/dashboard.json') {
    res.setHeader('content-type', 'application/json');
    res.end(current);
  } else if (path.startsWith('/prom/')) {
    const up = request(option.prometheus + req.url.slice('/prom'.length), { method: req.method }, (answer) => {
      res.writeHead(answer.statusCode, answer.headers);
      answer.pipe(res);
    });
    up.on('error', (e) => {
      res.writeHead(502, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ status: 'error', errorType: 'proxy', error: e.message }));
    });
    req.pipe(up);
  } else {
    const img = '/public/build/img/';
    const file = path.startsWith(img)
      ? join(ICONS, normalize(path.slice(img.length)))
      : join(HERE, 'dist', path === '/' ? 'index.html' : normalize(path));
    if (!existsSync(file) || file.endsWith('/')) {
      res.writeHead(404).end();
      return;
    }
    res.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream');
    createReadStream(file).pipe(res);
  }
}

async function draw(browser, base, width, theme) {
  const json = JSON.parse(current);
  const rows = Math.max(...json.panels.map((p) => p.gridPos.y + p.gridPos.h));
  const page = await browser.newPage({ viewport: { width, height: Math.min(12000, rows * 38 + 150) } });
  const console_ = new Set();
  page.on('console', (m) => {
    if (m.type() === 'error' && !m.text().startsWith('Failed to load resource')) {
      console_.add(m.text().slice(0, 300));
    }
  });
  const query = new URLSearchParams({ theme, scrapeMs: option['scrape-ms'] });
  for (const key of ['from', 'to']) {
    if (option[key]) {
      query.set(key, option[key]);
    }
  }
  // A variable's value goes to dashboards that show one thing at a time; the others show all.
  for (const pair of option.var.filter((p) =>
    json.templating.list.some((v) => v.name === p.split('=')[0] && !v.multi),
  )) {
    query.set(`var-${pair.split('=')[0]}`, pair.slice(pair.indexOf('=') + 1));
  }
  await page.goto(`${base}/?${query}`);
  await page.waitForFunction(() => window.__report?.done, null, { timeout: 90000 });
  const report = await page.evaluate(() => window.__report);
  report.console = [...console_];
  for (const p of report.panels) {
    if (!p.drawn) {
      report.problems.push(`panel ${p.key} "${p.title}" drew nothing`);
    }
    if (p.noData && p.noValue === null && !option.empty.includes(p.title)) {
      report.problems.push(`panel ${p.key} "${p.title}" shows no data`);
    }
  }
  const clip = option.height ? { x: 0, y: 0, width, height: Number(option.height) } : undefined;
  return { report, picture: await page.screenshot(clip ? { clip } : { fullPage: true }), close: () => page.close() };
}

mkdirSync(option.out, { recursive: true });
const server = createServer(serve);
await new Promise((r) => server.listen(0, '127.0.0.1', r));
const base = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: CHROMIUM });
let bad = 0;
try {
  for (const file of files) {
    current = readFileSync(file, 'utf8');
    for (const width of option.width.split(',').map(Number)) {
      for (const theme of option.theme.split(',')) {
        const { report, picture, close } = await draw(browser, base, width, theme);
        const name = `${basename(file, '.json')}-${width}-${theme}`;
        writeFileSync(join(option.out, `${name}.png`), picture);
        writeFileSync(join(option.out, `${name}.json`), JSON.stringify(report, null, 1));
        await close();
        bad += report.problems.length;
        console.log(
          `${name}: ${report.panels.length} panels, ${report.panels.filter((p) => p.noData).length} without data, ${report.problems.length} problems`,
        );
        [...report.notes, ...report.console].forEach((line) => console.log(`  note: ${line}`));
        report.problems.forEach((line) => console.log(`  PROBLEM: ${line}`));
      }
    }
  }
} finally {
  await browser.close();
  server.close();
}
process.exit(bad ? 1 : 0);
