import { china } from './china.ts';
import { google } from './google.ts';
import { openai } from './openai.ts';
import { others } from './others.ts';

/** Anthropic's and xAI's models (platform.claude.com/docs/en/about-claude/models, docs.x.ai/docs/models). Form and source: index.ts. */
export const anthropicAndXai = `
anthropic:
claude-mythos-5 claude-mythos-5-1 claude-mythos-preview claude-opus-4-6-20260205 claude-opus-4-7-20260416 | 1000000 128000 vtrspc
claude-fable-5 claude-fable-5-1 claude-haiku-5-5 claude-opus-4-6 claude-opus-4-7 claude-opus-4-8 claude-opus-5 claude-opus-5-5 claude-sonnet-4-6 claude-sonnet-5 claude-sonnet-5-5 | 1000000 128000 vtrspwc
claude-fable-5-2 | 1000000 128000 vtrc
claude-haiku-4-5 claude-opus-4-5 claude-sonnet-4-5 | 200000 64000 vtrspc
claude-haiku-4-5-20251001 claude-opus-4-5-20251101 claude-sonnet-4-5-20250929 | 200000 64000 vtrspwc
xai:
grok-4.20-multi-agent grok-4.20-multi-agent-0309 grok-4.20-multi-agent-beta-latest grok-4.20-multi-agent-experimental-beta-0304 grok-4.20-multi-agent-experimental-beta-latest grok-4.20-multi-agent-latest | 1000000 - vrswc
grok-4.20 grok-4.20-0309 grok-4.20-0309-reasoning grok-4.20-beta grok-4.20-beta-0309 grok-4.20-beta-0309-reasoning grok-4.20-beta-latest grok-4.20-beta-latest-reasoning grok-4.20-beta-reasoning grok-4.20-experimental-beta-0304 grok-4.20-experimental-beta-0304-reasoning grok-4.20-experimental-beta-latest grok-4.20-experimental-beta-reasoning-latest grok-4.20-multi-agent-beta-0309 grok-4.20-reasoning grok-4.20-reasoning-gv2 grok-4.20-reasoning-latest grok-4.3 grok-4.3-latest | 1000000 - vtrswc
grok-4.20-0309-non-reasoning grok-4.20-beta-0309-non-reasoning grok-4.20-beta-latest-non-reasoning grok-4.20-beta-non-reasoning grok-4.20-experimental-beta-0304-non-reasoning grok-4.20-experimental-beta-non-reasoning-latest grok-4.20-non-reasoning grok-4.20-non-reasoning-gv2 grok-4.20-non-reasoning-latest | 1000000 - vtswc
grok-4.5 grok-4.5-latest grok-4.6 grok-4.7 grok-build-latest | 500000 - vtrswc
grok-build-0.1 grok-code-fast grok-code-fast-1 grok-code-fast-1-0825 | 256000 - vtrsc
grok-voice-transcribe-1.0 grok-voice-transcribe-2.0 | - - h
grok-voice-2.0 grok-voice-3.0 grok-voice-latest | - - tho
grok-imagine-video-1.5 grok-imagine-video-1.5-2026-05-30 grok-imagine-video-1.5-preview | - - vhy
grok-imagine-image grok-imagine-image-2.0 grok-imagine-image-2026-03-02 grok-imagine-image-pro grok-imagine-image-quality grok-imagine-image-quality-20260403 grok-imagine-image-quality-latest | - - vi
grok-imagine-video | - - vmy
grok-imagine-video-1.5-lite | - - vy
`;

/**
 * The last days that vendors have announced for models: a day, and the names that are shut down on it, as OpenAI's
 * deprecations page (developers.openai.com/api/docs/deprecations, taken on 2026-11-25) and Anthropic's release notes
 * (platform.claude.com/docs/en/release-notes/overview, of 2026-09-30) have them. Names that these pages do not list
 * stand in no line, also where they lead to one that is listed.
 */
export const ends = `
2026-11-30 claude-sonnet-4-5-20250929
2026-12-01 gpt-image-1-mini gpt-image-1.5 gpt-image-1.5-2025-12-16 chatgpt-image-latest
2026-12-11 gpt-5 gpt-5-2025-08-07 gpt-5-mini gpt-5-mini-2025-08-07 gpt-5-nano gpt-5-nano-2025-08-07 gpt-5-pro gpt-5-pro-2025-10-06 o3 o3-2025-04-16 o3-pro o3-pro-2025-06-10
2027-01-06 tts-1 tts-1-hd gpt-4o-mini-tts
2027-01-14 gpt-4o-2024-08-06 gpt-4o-2024-11-20 gpt-4o-mini-2024-07-18 gpt-4.1-2025-04-14 gpt-4.1-mini-2025-04-14
2027-01-20 gpt-realtime gpt-audio
2027-02-01 gpt-5.5-cyber-preview
2027-02-26 whisper-1 gpt-4o-transcribe gpt-4o-mini-transcribe gpt-4o-transcribe-diarize
2027-04-01 gpt-5.1 gpt-5.3-codex gpt-5.4-nano
`;

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
