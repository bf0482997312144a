import type { Words } from '../words.ts';
import { commonMeanings } from './common.ts';
import { peopleMeanings } from './people.ts';
import { specialMeanings } from './special.ts';
import { textMeanings } from './texts.ts';

const find = (table: Readonly<Record<string, Words>>, key: string): Words | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

/**
 * What a field means that its name does not tell: the unit of a number, its states, the form of a text, what a switch
 * or a list is about. `owner` is the name of its schema, or of its part of the reference where the schema has none.
 */
export function fieldMeaning(
  owner: string,
  name: string,
  kind: 'number' | 'text' | undefined,
): Words | undefined {
  const ofPeople = find(peopleMeanings, `${owner}.${name}`);
  if (ofPeople || !kind) return ofPeople;
  if (kind === 'text') return find(textMeanings, `${owner}.${name}`) ?? find(textMeanings, name);
  return find(specialMeanings, `${owner}.${name}`) ?? find(commonMeanings, name);
}
