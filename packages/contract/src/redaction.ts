/**
 * Regular expressions that take time in proportion to their length times that of the text, whatever both are: all ways to
 * match are followed at once, without going back. They have literals, classes, groups, alternatives and repetitions; neither
 * references nor look-around exist.
 */

/** A part of a compiled expression: a test of a character, or a choice of the next parts. */
type State = { test: (char: string) => boolean; next: number } | { both: number[] };

/** Marks the matches of an expression in a text, in order; matches that touch or overlap are one. */
export interface Redaction {
  /** Starts and ends of the matches, as indexes of UTF-16 units. */
  find(text: string): [number, number][];
}

const maxPattern = 200;
const maxStates = 300;
const maxRepeats = 100;

/** The expression was not accepted. */
export class RedactionError extends Error {}

const fail = (why: string): never => {
  throw new RedactionError(why);
};

/** Adds the states of a part, which continue with `next`; returns the first of them. */
type Part = (next: number) => number;

class Parser {
  readonly states: State[] = [];
  private at = 0;
  private readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  private add(state: State): number {
    if (this.states.length >= maxStates) fail('the expression is too long');
    return this.states.push(state) - 1;
  }

  whole(): Part {
    const part = this.alternatives();
    return this.at === this.source.length ? part : fail('unexpected )');
  }

  private alternatives(): Part {
    const parts = [this.sequence()];
    while (this.source[this.at] === '|') {
      this.at += 1;
      parts.push(this.sequence());
    }
    if (parts.length === 1) return parts[0]!;
    return (next) => this.add({ both: parts.map((part) => part(next)) });
  }

  private sequence(): Part {
    const parts: Part[] = [];
    while (this.at < this.source.length && !'|)'.includes(this.source[this.at]!)) parts.push(this.repeated());
    return (next) => parts.reduceRight((after, part) => part(after), next);
  }

  private repeated(): Part {
    const part = this.atom();
    const rest = this.source.slice(this.at);
    const [text, min = '', max] = /^(?:[*+?]|\{(\d{1,3})(?:,(\d{0,3}))?\})/.exec(rest) ?? [''];
    if (text === '') return rest.startsWith('{') ? fail('{ needs a number') : part;
    this.at += text.length;
    if (/^[*+?{]/.test(this.source.slice(this.at))) fail('a repetition of a repetition');
    const least = text === '+' ? 1 : Number(min);
    const most = text === '?' ? 1 : '*+'.includes(text[0]!) || max === '' ? Infinity : Number(max ?? min);
    if (least > maxRepeats || (most !== Infinity && (most > maxRepeats || most < least)))
      fail('too many repetitions');
    return (next) => this.repeat(part, least, most, next);
  }

  private repeat(part: Part, least: number, most: number, next: number): number {
    let after = next;
    if (most === Infinity) {
      const loop = this.add({ both: [next] });
      (this.states[loop] as { both: number[] }).both.push(part(loop));
      after = loop;
    } else for (let n = least; n < most; n += 1) after = this.add({ both: [next, part(after)] });
    for (let n = 0; n < least; n += 1) after = part(after);
    return after;
  }

  private atom(): Part {
    const char = this.source[this.at]!;
    if (char === '(') return this.group();
    if ('*+?{'.includes(char)) fail('nothing to repeat');
    if ('^$'.includes(char)) fail('^ and $ are not supported');
    const [text] = /^(?:\[\^?(?:\\.|[^\]\\])+\]|\\[dDwWsSnt]|\\[^a-zA-Z0-9]|[^\\[])/.exec(
      this.source.slice(this.at),
    ) ?? [fail('unknown escape, or [ without ]')];
    this.at += text.length;
    let pattern: RegExp;
    try {
      pattern = new RegExp(
        `^${text === '.' ? '[^\\n]' : text.length === 1 ? text.replace(/[\]}/]/, '\\$&') : text}$`,
        'i',
      );
    } catch {
      return fail('an invalid class');
    }
    const test = (one: string): boolean => pattern.test(one);
    return (next) => this.add({ test, next });
  }

  private group(): Part {
    this.at += 1;
    if (this.source.startsWith('?:', this.at)) this.at += 2;
    else if (this.source[this.at] === '?') fail('look-around is not supported');
    const part = this.alternatives();
    if (this.source[this.at] !== ')') fail('( without )');
    this.at += 1;
    return part;
  }
}

/** Compiles an expression, without regard to case. Throws RedactionError for one that is not accepted. */
export function compileRedaction(source: string): Redaction {
  if (source === '' || source.length > maxPattern) fail(`1 to ${maxPattern} characters`);
  const parser = new Parser(source);
  const { states } = parser;
  const accept = states.push({ both: [] }) - 1;
  const start = parser.whole()(accept);
  const found = { find: (text: string) => findIn(states, start, accept, text) };
  if (found.find('').length > 0 || reaches(states, start, accept)) fail('it matches an empty text');
  return found;
}

/** True if a match needs no character. */
function reaches(states: readonly State[], from: number, accept: number): boolean {
  const seen = new Map<number, number>();
  follow(states, from, 0, seen);
  return seen.has(accept);
}

/** Adds a state, and those that follow it without a character, with the start of their match. */
function follow(states: readonly State[], first: number, begun: number, into: Map<number, number>): void {
  const waiting = [first];
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    const known = into.get(state);
    if (known !== undefined && known <= begun) continue;
    into.set(state, begun);
    const each = states[state]!;
    if ('both' in each) waiting.push(...each.both);
  }
}

function findIn(states: readonly State[], start: number, accept: number, text: string): [number, number][] {
  const found: [number, number][] = [];
  let active = new Map<number, number>();
  for (let at = 0; at < text.length; at += 1) {
    follow(states, start, at, active);
    const next = new Map<number, number>();
    const char = text[at]!;
    for (const [state, begun] of active) {
      const each = states[state]!;
      if ('test' in each && each.test(char)) follow(states, each.next, begun, next);
    }
    const begun = next.get(accept);
    if (begun !== undefined) mark(found, begun, at + 1);
    active = next;
  }
  return found;
}

/** Adds a match, which ends after those before it, and joins those that it covers. */
function mark(found: [number, number][], begun: number, end: number): void {
  let from = begun;
  for (let last = found.at(-1); last && last[1] >= from; last = found.at(-1)) {
    from = Math.min(from, last[0]);
    found.pop();
  }
  found.push([from, end]);
}

/** The text with each match of the expressions replaced by `[redacted]`. */
export function redact(text: string, redactions: readonly Redaction[]): string {
  return redactions.reduce((rest, redaction) => {
    let shown = '';
    let from = 0;
    for (const [begun, end] of redaction.find(rest)) {
      shown += `${rest.slice(from, begun)}[redacted]`;
      from = end;
    }
    return from === 0 ? rest : shown + rest.slice(from);
  }, text);
}
