// Refreshes models.json of the contract from public lists: `npm run models`, with `litellm=FILE` (or models_dev=, openrouter=) for
// an already downloaded list. Prints changed models, and models on which the lists disagree: a person decides these.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { declarationOf, priceSourceNames } from '../packages/contract/src/index.ts';
import { formatModelBook, modelBook } from '../packages/contract/src/models/schema.ts';
import { buildNameIndex } from '../packages/server/src/services/money/price-sync/name-index.ts';
import { readers } from '../packages/server/src/services/money/price-sync/read-source.ts';
import { refreshModels } from '../packages/server/src/services/money/price-sync/refresh-models.ts';

const file = fileURLToPath(new URL('../packages/contract/src/models/models.json', import.meta.url));
const given = Object.fromEntries(process.argv.slice(2).map((each) => each.split(/=(.*)/s)));
const places = { ...declarationOf('PriceSyncSources').default, ...given };

async function load(place) {
  if (!/^https?:/.test(place)) return JSON.parse(readFileSync(place, 'utf8'));
  const answer = await fetch(place, { signal: AbortSignal.timeout(30_000) });
  if (!answer.ok) throw new Error(`${place} answered ${answer.status}`);
  return answer.json();
}

const texts = new Map();
for (const source of priceSourceNames.filter((each) => places[each])) {
  try {
    texts.set(source, await load(places[source]));
  } catch (error) {
    console.error(`${source} is left out: ${error.message}`);
  }
}
if (texts.size === 0) process.exit(1);
const lists = new Map([...texts].map(([source, json]) => [source, buildNameIndex(readers[source](json))]));
const today = { date: new Date().toISOString().slice(0, 10), name: 'LiteLLM' };
const before = modelBook.parse(JSON.parse(readFileSync(file, 'utf8')));
const { book, changed, undecided } = refreshModels(before, lists, texts.get('litellm'), today);
writeFileSync(file, formatModelBook(modelBook.parse(book)));
console.log(`${changed.length} models changed: ${changed.join(' ')}`);
console.log(
  `${undecided.length} have another price in the lists, which is left to you: ${undecided.join(' ')}`,
);
