// Builds the page from the data that hopsim put into it (README.md says what that holds).
import { collectivePage } from './collective.js';
import { el } from './dom.js';
import { runsPage } from './run.js';
import { sweepPage } from './sweep.js';

const kPages = {
  run: (data) => runsPage(data.runs),
  collective: (data) => collectivePage(data.collective),
  sweep: (data) => sweepPage(data.sweep),
};

function build(data) {
  const title = data.title || 'hopsim';
  document.title = title === 'hopsim' ? title : `${title} - hopsim`;
  document.body.append(
    el(
      'header',
      { class: 'page-header' },
      el('p', { class: 'product' }, `hopsim ${data.command}`, el('span', {}, ` ${data.version}`)),
      el('h1', {}, title),
    ),
    el('main', {}, kPages[data.command](data)),
  );
}

build(JSON.parse(document.getElementById('hopsim-data').textContent));
