import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { environmentTable, readEnv, variables } from './env.ts';
import { notRead } from './environment/not-read.ts';

describe('the environment', () => {
  it('has working defaults: an empty one starts on SQLite in the data folder', () => {
    const env = readEnv({});
    expect(env.port).toBe(3000);
    expect(env.databaseUrl).toBe('');
    expect(env.forceStreamUsage).toBe(true);
  });

  it('refuses to start on invalid values, with one line for each that names the variable', () => {
    const bad = {
      PORT: '80x',
      GLOBAL_API_RATE_LIMIT: '0',
      LOG_LEVEL: 'loud',
      TRUSTED_PROXIES: '10.0.0.0/8,here',
    };
    let message = '';
    try {
      readEnv(bad);
    } catch (error) {
      message = error instanceof Error ? error.message : '';
    }
    const lines = message.split('\n');
    expect(lines).toHaveLength(4);
    for (const name of Object.keys(bad)) expect(lines.some((line) => line.startsWith(`${name} `))).toBe(true);
  });

  it('counts an empty value as not set, as compose files write it', () => {
    expect(readEnv({ PORT: '', REDIS_CONN_STRING: ' ' })).toEqual(readEnv({}));
  });

  it('leaves a database address to the store, and stops on an invalid one', () => {
    expect(readEnv({ SQL_DSN: 'root:1@tcp(db:3306)/oneapi' }).databaseUrl).toBe('root:1@tcp(db:3306)/oneapi');
    expect(() => readEnv({ DATABASE_URL: 'oracle://db' })).toThrow(/^DATABASE_URL /);
  });

  it('takes the file of an older installation', () => {
    const env = readEnv({ SQL_DSN: 'local', SQLITE_PATH: '/data/one-api.db?_busy_timeout=5000' });
    expect(env.databaseUrl).toBe('sqlite:/data/one-api.db');
    expect(readEnv({ SQL_DSN: 'local' }).databaseUrl).toBe('');
  });

  it('refuses the placeholder secret of example files and short ones', () => {
    expect(() => readEnv({ SESSION_SECRET: 'random_string' })).toThrow(
      /SESSION_SECRET is still the placeholder/,
    );
    expect(() => readEnv({ SECRET_KEY: 'short' })).toThrow(/at least 32/);
  });

  it('names every variable once', () => {
    const names = Object.values(variables).flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('is documented as it is (run with UPDATE_DOCS=1 to write the table anew)', () => {
    const page = new URL('../../../../docs/how-to/configuration.md', import.meta.url);
    const current = readFileSync(page, 'utf8');
    const wanted = current.replace(
      /(<!-- environment -->\n)[\s\S]*?(<!-- \/environment -->)/,
      (_all, start: string, end: string) => `${start}${environmentTable()}\n${end}`,
    );
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(page, wanted);
    expect(readFileSync(page, 'utf8')).toBe(wanted);
    expect(wanted).toContain('| `PORT` |');
    expect(wanted).toContain('| `LOG_SQL_DSN` |');
  });

  it('lists the variables of another gateway that are set and have no effect here', () => {
    expect(notRead({ SQL_MAX_LIFETIME: '60', NODE_TYPE: ' ', PORT: '1' })).toEqual([
      expect.stringMatching(/^SQL_MAX_LIFETIME is set and does nothing here: /),
    ]);
    const read = Object.values(variables).flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(notRead(Object.fromEntries(read.map((name) => [name, 'set'])))).toEqual([]);
  });
});
