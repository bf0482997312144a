import { resolve } from 'node:path';
import { product } from '@tollgate/contract';
import {
  addresses,
  choice,
  databaseUrl,
  faults,
  integer,
  ports,
  processes,
  secret,
  text,
  toggle,
  type Variable,
} from './environment/kinds.ts';
import { limitVariables } from './environment/limits.ts';
import { signInVariables, vendorVariables } from './environment/vendors.ts';
import { traceVariables } from './environment/traces.ts';
import type { HttpEngine } from '../lib/outbound/http.ts';

/** The database, and the one to which rows of the log move. */
const databases = {
  databaseUrl: databaseUrl('DATABASE_URL', {
    fallback: '',
    aliases: ['SQL_DSN'],
    shownDefault: `sqlite:<DATA_DIR>/${product.id}.db`,
    meaning:
      'Database: `sqlite:<path>` (from DATA_DIR), `postgres://user:password@host:port/name`, `mysql://…`, or `user:password@tcp(host:port)/name`.',
  }),
  logDatabaseUrl: databaseUrl('LOG_SQL_DSN', {
    fallback: '',
    shownDefault: '',
    meaning:
      'Another database for log rows, in the form of DATABASE_URL: empty at first, for this site only.',
  }),
  sqlitePath: text('SQLITE_PATH', {
    fallback: '',
    shownDefault: '',
    meaning: 'File of the SQLite database when DATABASE_URL is not set.',
  }),
} as const;

/** Interval and folder of automatic backups of the embedded database. */
const backupVariables = {
  backupHours: integer('BACKUP_EVERY_HOURS', {
    fallback: 0,
    min: 0,
    max: 8_760,
    meaning: 'Hours between verified backups of the SQLite database and its key; 0 for never.',
  }),
  backupDir: text('BACKUP_DIR', {
    fallback: '',
    shownDefault: '<DATA_DIR>/backups',
    meaning: 'Folder of the backups; best on another disk.',
  }),
  backupKeep: integer('BACKUP_KEEP', {
    fallback: 7,
    min: 1,
    max: 10_000,
    meaning: 'Backups that are kept.',
  }),
  backupWithoutKey: toggle('BACKUP_WITHOUT_KEY', {
    fallback: false,
    meaning: 'Leaves the master key out of backups; keep secret.key elsewhere.',
  }),
};

/** Access to the metrics of a process. */
const watchVariables = {
  metricsToken: secret('METRICS_TOKEN', {
    fallback: '',
    minLength: 16,
    meaning: 'Serves Prometheus metrics at `/metrics` for this bearer token.',
  }),
  metricsPort: integer('METRICS_PORT', {
    fallback: 0,
    min: 0,
    max: 65_535,
    meaning: 'Also serves them on this port, without a token; 0 for none.',
  }),
  metricsHost: text('METRICS_HOST', {
    fallback: '127.0.0.1',
    meaning: 'Address of that port.',
  }),
};

/** A listening socket passed by a supervisor: sd_listen_fds(3). */
const socketVariables = {
  listenSockets: integer('LISTEN_FDS', {
    fallback: 0,
    min: 0,
    max: 1_000,
    meaning: 'Set by systemd: number of passed sockets. The first replaces HOST and PORT.',
  }),
  listenPid: integer('LISTEN_PID', {
    fallback: 0,
    min: 0,
    max: 2 ** 32,
    meaning: 'Set by systemd: the process of these sockets.',
  }),
};

const aDay = 86_400;

/** Every environment variable Tollgate reads, once: name, default, meaning, check. */
export const variables = {
  port: integer('PORT', {
    fallback: 3000,
    min: 0,
    max: 65_535,
    meaning: 'Port to listen on; 0 takes any free one.',
  }),
  host: text('HOST', { fallback: '0.0.0.0', meaning: 'Address to listen on.' }),
  workers: processes('WORKERS', {
    fallback: 1,
    max: 64,
    meaning:
      'Processes for calls, on a database server: `auto` is one per core. With more than one, a further process starts them and serves the console.',
  }),
  dataDir: text('DATA_DIR', {
    fallback: './data',
    meaning: 'Folder of the SQLite database and the master key.',
  }),
  ...databases,
  databasePool: integer('SQL_MAX_OPEN_CONNS', {
    fallback: 20,
    min: 1,
    max: 10_000,
    meaning: 'Most connections to PostgreSQL or MySQL at once, of all workers together.',
  }),
  redisUrl: text('REDIS_CONN_STRING', {
    fallback: '',
    meaning:
      '`redis://…`, for limits and texts of tool loops (an hour) of all processes. Without it each has its own.',
  }),
  secretKey: secret('SECRET_KEY', {
    fallback: '',
    minLength: 32,
    aliases: ['CRYPTO_SECRET', 'SESSION_SECRET'],
    meaning:
      'Master key that encrypts stored secrets, at least 32 characters. Required with PostgreSQL and MySQL; with SQLite the first start makes `<DATA_DIR>/secret.key`.',
  }),
  formerSecretKey: secret('FORMER_SECRET_KEY', {
    fallback: '',
    minLength: 32,
    meaning:
      'The former master key during the command `rotate-key`; with a key file it is `<DATA_DIR>/secret.key.former`.',
  }),
  hashOnlyKeys: toggle('HASH_ONLY_KEYS', {
    fallback: false,
    meaning: 'Keep only the hash of API keys: a key is shown once.',
  }),
  trustedProxies: addresses('TRUSTED_PROXIES', {
    fallback: [],
    meaning:
      'Proxies with trusted X-Forwarded-For, -Proto and -Host: addresses, CIDR ranges, `loopback`, `private`, separated by commas.',
  }),
  insecureCookies: toggle('INSECURE_COOKIES', {
    fallback: true,
    meaning:
      'Allows sign-in over plain HTTP within a local network. Elsewhere it always needs HTTPS. Set false once HTTPS works.',
  }),
  httpEngine: choice<HttpEngine>('HTTP_ENGINE', {
    fallback: 'lean',
    words: ['lean', 'node'],
    meaning: `\`lean\` is ${product.name}'s own HTTP/1.1 for relayed calls, \`node\` is Node's server and undici, with HTTP/2 to upstreams.`,
  }),
  upstreamConnections: integer('UPSTREAM_MAX_CONNECTIONS', {
    fallback: 4096,
    min: 1,
    max: 65_535,
    meaning:
      'Most connections of a process to one upstream address, idle ones included (over HTTP/2: calls). Further calls wait. Realtime sessions do not count.',
  }),
  upstreamWaitSeconds: integer('UPSTREAM_WAIT_SECONDS', {
    fallback: 2,
    min: 1,
    max: 600,
    meaning: 'Longest wait of such a call, in seconds; then another channel is tried, or the answer is 503.',
  }),
  humanCheck: toggle('HUMAN_CHECK_ENABLE', {
    fallback: true,
    meaning: 'Set false to sign in without the human check, if its keys are wrong.',
  }),
  demoSite: toggle('DEMO_SITE', {
    fallback: false,
    meaning: 'A demo site, also for root: reading and calling models works, changes do not.',
  }),
  ...socketVariables,
  ...signInVariables,
  ...watchVariables,
  ...traceVariables,
  ...backupVariables,
  logLevel: choice('LOG_LEVEL', {
    fallback: 'info',
    words: ['debug', 'info', 'warn', 'error', 'silent'],
    meaning: 'Minimum level of log lines: debug, info, warn, error, silent.',
  }),
  maxRequestBodyMb: integer('MAX_REQUEST_BODY_MB', {
    fallback: 128,
    min: 1,
    max: 2048,
    meaning: 'Largest body of a relayed request, in MB, also after decompression.',
  }),
  bodyMemoryMb: integer('BODY_MEMORY_MB', {
    fallback: 1024,
    min: 1,
    max: 1_048_576,
    meaning: 'Most memory of a process for bodies of relayed requests, in MB; beyond it the answer is 503.',
  }),
  bodyMemoryPerKeyMb: integer('BODY_MEMORY_PER_KEY_MB', {
    fallback: 512,
    min: 1,
    max: 1_048_576,
    meaning: 'Most of it for one key, in MB; beyond it the answer is 429.',
  }),
  drainSeconds: integer('DRAIN_SECONDS', {
    fallback: 600,
    min: 0,
    max: aDay,
    meaning: 'Seconds that running requests may continue after a stop signal.',
  }),
  relayTimeoutSeconds: integer('RELAY_TIMEOUT', {
    fallback: 0,
    min: 0,
    max: aDay,
    meaning: 'Longest time of a whole upstream call, in seconds; 0 for no limit.',
  }),
  streamingTimeoutSeconds: integer('STREAMING_TIMEOUT', {
    fallback: 300,
    min: 1,
    max: aDay,
    meaning: 'Longest silence of an upstream between two pieces of a stream, in seconds.',
  }),
  realtimeSessionsPerUser: integer('REALTIME_SESSIONS_PER_USER', {
    fallback: 100,
    min: 0,
    max: 1_000_000,
    meaning: 'Most realtime sessions of one user at once, in each process; 0 for any number.',
  }),
  forceStreamUsage: toggle('FORCE_STREAM_OPTION', {
    fallback: true,
    meaning: 'Ask upstreams for the usage of streams even when the caller did not.',
  }),
  ...vendorVariables,
  maxFileDownloadMb: integer('MAX_FILE_DOWNLOAD_MB', {
    fallback: 20,
    min: 1,
    max: 1024,
    meaning: 'Largest image or file that is fetched for an upstream, in MB.',
  }),
  maxFileUploadMb: integer('MAX_FILE_UPLOAD_MB', {
    fallback: 512,
    min: 1,
    max: 8192,
    meaning:
      'Largest file that a caller may leave with a vendor (`/v1/files`), in MB; it is not kept in memory.',
  }),
  userFilesMb: integer('USER_FILES_MB', {
    fallback: 10_240,
    min: 1,
    max: 1_048_576,
    meaning: 'Most MB of files that vendors keep for one user.',
  }),
  publicPorts: ports('PUBLIC_PORTS', {
    fallback: [],
    shownDefault: '',
    meaning: "Further ports that users' addresses may have, beside 80 and 443, separated by commas.",
  }),
  notifyLimitCount: integer('NOTIFY_LIMIT_COUNT', {
    fallback: 2,
    min: 1,
    max: 1000,
    meaning: 'Notices of one kind to one user within the time below.',
  }),
  notifyLimitMinutes: integer('NOTIFICATION_LIMIT_DURATION_MINUTE', {
    fallback: 10,
    min: 1,
    max: 1440,
    meaning: 'Minutes that limit counts over.',
  }),
  errorLog: toggle('ERROR_LOG_ENABLED', {
    fallback: true,
    meaning: 'Writes a log row (type 5) for each failed relay call, at most 60 a minute for a user.',
  }),
  generateDefaultToken: toggle('GENERATE_DEFAULT_TOKEN', {
    fallback: false,
    meaning: 'Give every newly registered user a first key.',
  }),
  syncSeconds: integer('SYNC_FREQUENCY', {
    fallback: 60,
    min: 1,
    max: 3600,
    meaning: 'Seconds between complete reloads of what is in memory.',
  }),
  channelTestMinutes: integer('CHANNEL_TEST_FREQUENCY', {
    fallback: 0,
    min: 0,
    max: 525_600,
    meaning: 'How often all channels are tested, in minutes; 0 for never.',
  }),
  channelUpdateMinutes: integer('CHANNEL_UPDATE_FREQUENCY', {
    fallback: 0,
    min: 0,
    max: 525_600,
    meaning: 'How often the balances of all channels are read, in minutes; 0 for never.',
  }),
  pollingSeconds: integer('POLLING_INTERVAL', {
    fallback: 0,
    min: 0,
    max: 3600,
    meaning: 'Pause between two channels when all are tested, in seconds; 0 tests several at once.',
  }),
  faults: faults('FAULTS', {
    fallback: [],
    shownDefault: '',
    meaning: `For tests of ${product.name} itself (docs/reliability.md). Never set it on a site.`,
  }),
  ...limitVariables,
} as const satisfies Record<string, Variable<never> | Variable<unknown>>;

type Values = { [Name in keyof typeof variables]: (typeof variables)[Name]['fallback'] };

/** The checked environment. The store parses `databaseUrl`; '' means the file in `dataDir`. */
export type Env = Values;

/** The type of `process.env`. */
export type RawEnv = Record<string, string | undefined>;

/** A variable's text under its name or a former one; an empty text counts as not set. */
function find(
  raw: RawEnv,
  { name, aliases }: Pick<Variable<unknown>, 'name' | 'aliases'>,
): [string, string] | null {
  for (const each of [name, ...aliases]) {
    const value = raw[each]?.trim();
    if (value !== undefined && value !== '') return [each, value];
  }
  return null;
}

/** Reads and checks the environment. Throws one Error with a line for each invalid variable. */
export function readEnv(raw: RawEnv): Env {
  const problems: string[] = [];
  const values = Object.fromEntries(
    Object.entries<Variable<unknown>>(variables).map(([key, variable]) => {
      const found = find(raw, variable);
      if (!found) return [key, variable.fallback];
      try {
        return [key, variable.parse(found[1])];
      } catch (error) {
        problems.push(`${found[0]} ${error instanceof Error ? error.message : String(error)}`);
        return [key, variable.fallback];
      }
    }),
  ) as Env;
  if (problems.length > 0) throw new Error(problems.join('\n'));
  if (values.databaseUrl !== '' && !values.databaseUrl.startsWith('local')) return values;
  // Former installations write driver options after the file's name, and use paths relative to the working directory.
  const path = values.sqlitePath.split('?', 1)[0] ?? '';
  return { ...values, databaseUrl: path === '' ? '' : `sqlite:${resolve(path)}` };
}

/** The table of docs/how-to/configuration.md. */
export function environmentTable(): string {
  const rows = Object.values<Variable<unknown>>(variables).map(({ name, aliases, shownDefault, meaning }) => {
    const names = [name, ...aliases].map((each) => `\`${each}\``).join(', ');
    return `| ${names} | ${shownDefault === '' ? '–' : `\`${shownDefault}\``} | ${meaning} |`;
  });
  return ['| Variable | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
}
