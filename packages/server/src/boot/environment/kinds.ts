import { type Fault, parseFaults } from '../../lib/fault-point.ts';
import { parseIpRanges } from '../../lib/outbound/address.ts';
import { parseDatabaseUrl } from '../../store/database-url.ts';

/** One environment variable: its name, its meaning, and how its text is parsed. */
export interface Variable<T> {
  name: string;
  /** Former names; read if the first is not set. */
  aliases: readonly string[];
  fallback: T;
  /** One sentence for the documentation. */
  meaning: string;
  /** Default as shown in the documentation. */
  shownDefault: string;
  /** Throws an Error with the expected form. */
  parse(text: string): T;
}

interface Spec<T> {
  fallback: T;
  meaning: string;
  aliases?: readonly string[];
  shownDefault?: string;
}

const variable = <T>(name: string, spec: Spec<T>, parse: (text: string) => T): Variable<T> => ({
  name,
  aliases: spec.aliases ?? [],
  fallback: spec.fallback,
  meaning: spec.meaning,
  shownDefault: spec.shownDefault ?? String(spec.fallback),
  parse,
});

/** A whole number within bounds. */
export const integer = (name: string, spec: Spec<number> & { min: number; max: number }): Variable<number> =>
  variable(name, spec, (text) => {
    const value = Number(text);
    if (!/^-?\d+$/.test(text) || value < spec.min || value > spec.max) {
      throw new Error(`must be a whole number from ${spec.min} to ${spec.max}`);
    }
    return value;
  });

/** A number of processes, or one for each core of the machine. */
export const processes = (
  name: string,
  spec: Spec<number | 'auto'> & { max: number },
): Variable<number | 'auto'> =>
  variable(name, spec, (text) => {
    const value = Number(text);
    if (text.toLowerCase() === 'auto') return 'auto';
    if (!/^\d+$/.test(text) || value < 1 || value > spec.max) {
      throw new Error(`must be auto or a whole number from 1 to ${spec.max}`);
    }
    return value;
  });

/** TCP ports, separated by commas. */
export const ports = (name: string, spec: Spec<number[]>): Variable<number[]> =>
  variable(name, spec, (text) =>
    text.split(',').map((each) => {
      const port = Number(each);
      if (!/^\s*\d{1,5}\s*$/.test(each) || port < 1 || port > 65_535) {
        throw new Error('must be ports from 1 to 65535, separated by commas');
      }
      return port;
    }),
  );

/** true or false; also 1 and 0. */
export const toggle = (name: string, spec: Spec<boolean>): Variable<boolean> =>
  variable(name, spec, (text) => {
    const value = { true: true, '1': true, false: false, '0': false }[text.toLowerCase()];
    if (value === undefined) throw new Error('must be true or false');
    return value;
  });

/** Any text. */
export const text = (name: string, spec: Spec<string>): Variable<string> =>
  variable(name, spec, (value) => value);

/** One of several names. */
export const choice = <Word extends string>(
  name: string,
  spec: Spec<Word> & { words: readonly Word[] },
): Variable<Word> =>
  variable(name, spec, (value) => {
    const word = spec.words.find((each) => each === value.toLowerCase());
    if (word === undefined) throw new Error(`must be one of ${spec.words.join(', ')}`);
    return word;
  });

/** A secret of at least `minLength` characters that is not a placeholder from an example file. */
export const secret = (name: string, spec: Spec<string> & { minLength: number }): Variable<string> =>
  variable(name, { ...spec, shownDefault: '' }, (value) => {
    if (value === 'random_string')
      throw new Error('is still the placeholder of the example: choose a random text');
    if (value.length < spec.minLength) throw new Error(`must have at least ${spec.minLength} characters`);
    return value;
  });

/** A comma list of addresses and CIDR ranges, or the names loopback and private. */
export const addresses = (name: string, spec: Spec<readonly string[]>): Variable<readonly string[]> =>
  variable(name, { ...spec, shownDefault: spec.fallback.join(',') }, (value) => {
    const entries = value.split(',').map((each) => each.trim());
    return entries
      .filter((each) => each !== '')
      .map((each) => {
        if (each !== 'loopback' && each !== 'private') parseIpRanges([each]);
        return each;
      });
  });

/** The database's address, in any form that the store accepts; unchanged. */
export const databaseUrl = (name: string, spec: Spec<string>): Variable<string> =>
  variable(name, spec, (value) => {
    parseDatabaseUrl(value, '.');
    return value;
  });

/** Fault points for tests. */
export const faults = (name: string, spec: Spec<readonly Fault[]>): Variable<readonly Fault[]> =>
  variable(name, spec, parseFaults);
