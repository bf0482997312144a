import { isAbsolute, join, resolve } from 'node:path';
import { product } from '@tollgate/contract';

export type DatabaseAddress =
  | { kind: 'sqlite'; path: string }
  | { kind: 'postgres'; url: string }
  | { kind: 'mysql'; url: string };

/** The name of the embedded database below the data directory. */
const DEFAULT_FILE = `${product.id}.db`;
/**
 * `user:pass@tcp(host:port)/db?x=y`, the format of a MySQL server in the original's SQL_DSN
 * (docs/compatibility.md#tables).
 */
const goStyle =
  /^(?:(?<user>[^:@/]*)(?::(?<password>.*))?@)?(?:(?<net>\w+)(?:\((?<host>[^)]*)\))?)?\/(?<database>[^?/]*)(?:\?(?<query>.*))?$/;

/**
 * Parses the address of the database: `sqlite:/path/file.db` (relative paths below `dataDir`), `sqlite::memory:`,
 * `postgres://`, `postgresql://`, `mysql://`, `mariadb://`, and the original's Go form for MySQL. Empty text or one
 * starting with `local` means the embedded file in `dataDir`. Throws a one-line error otherwise, without the password.
 */
export function parseDatabaseUrl(text: string, dataDir: string): DatabaseAddress {
  const url = text.trim();
  if (url === '' || url.startsWith('local'))
    return { kind: 'sqlite', path: join(resolve(dataDir), DEFAULT_FILE) };
  if (url.startsWith('sqlite:')) return { kind: 'sqlite', path: sqlitePath(url.slice(7), dataDir) };
  if (/^postgres(ql)?:\/\//.test(url)) return { kind: 'postgres', url };
  if (/^(mysql|mariadb):\/\//.test(url)) return { kind: 'mysql', url: url.replace(/^mariadb:/, 'mysql:') };
  const parts = goStyle.exec(url)?.groups;
  if (parts) return { kind: 'mysql', url: fromGoStyle(parts) };
  throw new Error(
    'the database address must start with sqlite:, postgres://, mysql:// or mariadb://, or read user:password@tcp(host:port)/database',
  );
}

function sqlitePath(rest: string, dataDir: string): string {
  const path = rest.replace(/^\/\/(?=\/)/, '');
  if (path === ':memory:') return path;
  if (path === '') throw new Error('the database address sqlite: names no file');
  return isAbsolute(path) ? path : join(resolve(dataDir), path);
}

/** Keeps the options that mysql2 understands too; Go's own options (parseTime, loc, charset, time-outs) have no meaning here. */
function fromGoStyle(parts: Record<string, string | undefined>): string {
  const { user = '', password, net = 'tcp', host = '', database = '', query = '' } = parts;
  const credentials =
    user === ''
      ? ''
      : `${encodeURIComponent(user)}${password === undefined ? '' : `:${encodeURIComponent(password)}`}@`;
  const options = new URLSearchParams();
  if (net === 'unix') options.set('socketPath', host);
  const tls = new URLSearchParams(query).get('tls');
  if (tls === 'true') options.set('ssl', '{}');
  if (tls === 'skip-verify') options.set('ssl', '{"rejectUnauthorized":false}');
  const tail = options.size > 0 ? `?${options.toString()}` : '';
  const server = net === 'unix' || host === '' ? 'localhost' : host;
  return `mysql://${credentials}${server}/${encodeURIComponent(database)}${tail}`;
}

/** Throws an error for the operator if the log database is the main database, or in memory. */
export function refuseSame(url: string, logUrl: string, dataDir: string): void {
  const log = parseDatabaseUrl(logUrl, dataDir);
  if (log.kind === 'sqlite' && log.path === ':memory:')
    throw new Error('LOG_SQL_DSN names a database in memory: the log would not outlive the process');
  if (placeOf(log) === placeOf(parseDatabaseUrl(url, dataDir)))
    throw new Error('LOG_SQL_DSN names the main database itself: leave it out, or name another one');
}

/** Location of a database, without user, password and options. */
function placeOf(address: DatabaseAddress): string {
  if (address.kind === 'sqlite') return `sqlite:${resolve(address.path)}`;
  const { hostname, port, pathname, searchParams } = new URL(address.url);
  const usual = address.kind === 'postgres' ? '5432' : '3306';
  const socket = searchParams.get('socketPath') ?? searchParams.get('host') ?? '';
  return [address.kind, hostname.toLowerCase(), port || usual, socket, pathname].join(' ');
}
