import type { Core } from './core.ts';
import {
  type GatewayDeps,
  identityHeaders,
  realtimeLimits,
  relayOptions,
  serveRealtime,
  Sessions,
} from '../gateway/index.ts';
import type { ClientReader } from '../http/context.ts';
import { createUpgradeListener, type RelayListenerDeps, type UpgradeListener } from '../http/relay/index.ts';
import { createAcceptor } from '../lib/websocket/websocket.ts';
import { providerOf } from '../relay/registry.ts';

/** The relay's WebSockets. */
export interface Realtime {
  upgrades: UpgradeListener;
  /** Each session ends as soon as no response is running. */
  stop(): void;
}

type Shared = Pick<
  RelayListenerDeps,
  'routes' | 'clock' | 'clientIp' | 'identify' | 'refuse' | 'isStopping' | 'memory' | 'traces'
>;

/** Wires the relay's WebSockets, with the same admission as its calls. */
export function openRealtime(
  core: Core,
  gateway: GatewayDeps,
  clients: ClientReader,
  shared: Shared,
): Realtime {
  const limits = realtimeLimits(core.env.streamingTimeoutSeconds * 1000);
  const sessions = new Sessions(core.env.realtimeSessionsPerUser);
  const realtime = {
    gateway,
    sessions,
    limits,
    dial: { provider: providerOf, options: relayOptions(core.env, core.settings) },
  };
  const upgrades = createUpgradeListener({
    ...shared,
    acceptor: createAcceptor(limits.socket),
    ownOrigin: (req) => clients.origin(req),
    serverAddress: () => core.settings.get('ServerAddress'),
    identityHeaders,
    serve: (visit) => serveRealtime(realtime, visit),
  });
  return { upgrades, stop: () => sessions.stop() };
}
