import { createHttp } from '../../lib/outbound/http.ts';
import { createGuard } from '../../lib/outbound/outbound-guard.ts';
import type { Log } from '../../lib/log.ts';
import { createSealer } from '../../lib/seal.ts';
import { channelTypes, providerOf } from '../../relay/registry.ts';
import { createAudit } from '../../services/site/audit/index.ts';
import { createChannels } from '../../services/calls/channels/index.ts';
import type { Store } from '../../store/index.ts';
import { channelStatus } from '@tollgate/contract';
import { type Line, note, ok, errorMessage, wrong } from './line.ts';

const timeoutMs = 10_000;
/** Above this clock difference signed calls and one-time codes fail. */
const maxSkewMs = 60_000;

/**
 * Checks three things: this master key decrypts the channels' keys, their hosts respond, and this machine's clock
 * agrees with theirs.
 */
export async function checkUpstreams(store: Store, masterKey: Buffer, now: () => number): Promise<Line[]> {
  const unread: unknown[] = [];
  const channels = await loadChannels(store, masterKey, now, (field) => unread.push(field));
  const keys =
    unread.length > 0
      ? wrong(`the keys of ${unread.length} channels do not open: SECRET_KEY or secret.key is not theirs`)
      : ok(`the keys of all ${channels.length} channels open`);
  const enabled = channels
    .filter(({ status }) => status === channelStatus.enabled)
    .map(({ channel }) => channel);
  // A provider in this process, the sandbox, has no host.
  const remote = enabled.filter(({ type }) => providerOf(type)?.local === undefined);
  const sites = new Map(
    remote.flatMap(({ baseUrl, setting }) => {
      const site = URL.canParse(baseUrl) ? new URL(baseUrl).origin : '';
      return site === '' || site === 'null'
        ? []
        : [[site + setting.proxy, { site, proxy: setting.proxy }] as const];
    }),
  );
  const http = createHttp(createGuard());
  try {
    const asked = await Promise.all([...sites.values()].map((each) => askSite(http, each, now)));
    return [keys, ...asked.flat()];
  } finally {
    await http.close();
  }
}

function loadChannels(store: Store, masterKey: Buffer, now: () => number, unread: (fields: unknown) => void) {
  const { db, reports } = store;
  const quiet = () => undefined;
  const log: Log = { debug: quiet, info: quiet, warn: quiet, error: unread };
  const channels = createChannels({
    db,
    sealer: createSealer(masterKey),
    types: channelTypes,
    audit: createAudit({ db, reports, clock: now }),
    clock: now,
    log,
    onChange: async () => undefined,
    announce: quiet,
  });
  return channels.loadAll();
}

/** Any answer means that the host is reachable; its content does not matter. */
async function askSite(
  http: ReturnType<typeof createHttp>,
  { site, proxy }: { site: string; proxy: string },
  now: () => number,
): Promise<Line[]> {
  const through = proxy === '' ? '' : ' through its proxy';
  try {
    const answer = await http.request(
      {
        url: site,
        method: 'GET',
        headers: {},
        proxy,
        scope: 'operator',
        headersTimeoutMs: timeoutMs,
        bodyTimeoutMs: timeoutMs,
      },
      64 * 1024,
      AbortSignal.timeout(timeoutMs),
    );
    const { date } = answer.headers;
    const skew = typeof date === 'string' ? Math.abs(Date.parse(date) - now()) : 0;
    const late =
      skew > maxSkewMs ? [wrong(`this clock is ${Math.round(skew / 1000)} s off that of ${site}`)] : [];
    return [ok(`${site} answers${through}`), ...late];
  } catch (error) {
    return [note(`${site} does not answer${through}: ${errorMessage(error)}`)];
  }
}
