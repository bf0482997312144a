import { anthropicAndXai } from './anthropic-and-xai.ts';
import { china } from './china.ts';
import { ends } from './ends.ts';
import { google } from './google.ts';
import { openai } from './openai.ts';
import { others } from './others.ts';

/** What a model can do, by its letter in the files beside this one. */
const abilityLetters = {
  v: 'vision',
  t: 'tools',
  r: 'reasoning',
  s: 'structured',
  h: 'audioInput',
  o: 'audioOutput',
  p: 'documents',
  m: 'videoInput',
  i: 'imageOutput',
  y: 'videoOutput',
  w: 'search',
  c: 'caching',
  e: 'embeddings',
} as const;

export type Ability = (typeof abilityLetters)[keyof typeof abilityLetters];
export const abilities: readonly Ability[] = Object.values(abilityLetters);

/** What vendors say of a model. What is absent is not known here: nothing is guessed. */
export interface ModelFacts {
  vendor: string;
  /** Tokens of the longest input. */
  input?: number;
  /** Tokens of the longest answer. */
  output?: number;
  /** The day on which its vendor shuts it down, YYYY-MM-DD, where one is announced. */
  ends?: string;
  /** Those that are listed; of the others nothing is known. */
  abilities: readonly Ability[];
}

/** Finds a model by its name, also with its vendor in front. */
export type FindFacts = (model: string) => ModelFacts | undefined;

const number = (word: string | undefined) => (word === undefined || word === '-' ? undefined : Number(word));

/**
 * Each file has a vendor's name and a colon, then lines of its models: names, `|`, the longest input and answer in
 * tokens, and the letters of what is listed as an ability; `-` where nothing is listed. All as LiteLLM 1.109.1 lists the
 * vendors' own models, taken on 2026-11-23, and Claude Fable 5.2, Gemini 4 Carbon and Neon and GPT-6.2 as announcements of
 * November 2026 have them; an answer that is only said to be as long as the input is left out.
 */
function readFacts(tables: readonly string[]): Map<string, ModelFacts> {
  const facts = new Map<string, ModelFacts>();
  let vendor = '';
  for (const line of tables.flatMap((table) => table.trim().split('\n'))) {
    if (line.endsWith(':')) {
      vendor = line.slice(0, -1);
      continue;
    }
    const [names = '', about = ''] = line.split(' | ');
    const [longest, answer, letters = ''] = about.split(' ');
    const [input, output] = [number(longest), number(answer)];
    const fact: ModelFacts = {
      vendor,
      ...(input !== undefined && { input }),
      ...(output !== undefined && { output }),
      abilities: letters.split('').flatMap((letter) => abilityLetters[letter as 'v'] ?? []),
    };
    for (const name of names.split(' ')) facts.set(name, fact);
  }
  return facts;
}

/** Says of models when they end. */
function addEnds(facts: Map<string, ModelFacts>): void {
  for (const line of ends.trim().split('\n')) {
    const [day = '', ...names] = line.split(' ');
    for (const name of names) {
      const fact = facts.get(name);
      if (fact) facts.set(name, { ...fact, ends: day });
    }
  }
}

/** Reads the facts of all models that are known. */
export function openFacts(): FindFacts {
  const facts = readFacts([openai, anthropicAndXai, google, china, others]);
  addEnds(facts);
  return (model) => {
    const found = facts.get(model);
    if (found) return found;
    const slash = model.indexOf('/');
    const named = slash > 0 ? facts.get(model.slice(slash + 1)) : undefined;
    return named?.vendor === model.slice(0, slash) ? named : undefined;
  };
}
