import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDatabaseUrl } from './database-url.ts';

const parse = (url: string) => parseDatabaseUrl(url, '/data');

describe('the database address', () => {
  it.each([
    ['', join('/data', 'tollgate.db')],
    ['local', join('/data', 'tollgate.db')],
    ['sqlite:/var/lib/x.db', '/var/lib/x.db'],
    ['sqlite:///var/lib/x.db', '/var/lib/x.db'],
    ['sqlite:x.db', join('/data', 'x.db')],
    ['sqlite::memory:', ':memory:'],
  ])('%j is the embedded file %s', (url, path) => {
    expect(parse(url)).toEqual({ kind: 'sqlite', path });
  });

  it('resolves a relative data directory from the working directory', () => {
    expect(parseDatabaseUrl('', './data')).toEqual({ kind: 'sqlite', path: resolve('data', 'tollgate.db') });
  });

  it.each(['postgres://u:p@host/db', 'postgresql://u:p@host:5433/db?sslmode=require'])(
    '%s is PostgreSQL',
    (url) => {
      expect(parse(url)).toEqual({ kind: 'postgres', url });
    },
  );

  it.each([
    ['mysql://u:p@host/db', 'mysql://u:p@host/db'],
    ['mariadb://u:p@host/db', 'mysql://u:p@host/db'],
    [
      'root:p@ss:w/rd@tcp(db.example:3307)/one-api?parseTime=true&loc=Local',
      'mysql://root:p%40ss%3Aw%2Frd@db.example:3307/one-api',
    ],
    ['root@tcp(127.0.0.1)/x', 'mysql://root@127.0.0.1/x'],
    ['u:p@/x', 'mysql://u:p@localhost/x'],
    ['u:p@unix(/run/mysqld.sock)/x', 'mysql://u:p@localhost/x?socketPath=%2Frun%2Fmysqld.sock'],
    ['u:p@tcp(h:1)/x?tls=true', 'mysql://u:p@h:1/x?ssl=%7B%7D'],
    ['u:p@tcp(h:1)/x?tls=skip-verify', 'mysql://u:p@h:1/x?ssl=%7B%22rejectUnauthorized%22%3Afalse%7D'],
  ])('%s is MySQL', (url, expected) => {
    expect(parse(url)).toEqual({ kind: 'mysql', url: expected });
  });

  it.each(['redis://x', 'user:secret-password', 'sqlite:'])('%s is refused, without repeating it', (url) => {
    expect(() => parse(url)).toThrow(/database address/);
    expect(() => parse(url)).not.toThrow(/secret-password/);
  });
});
