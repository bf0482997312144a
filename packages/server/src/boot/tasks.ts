import type { Core } from './core.ts';
import type { ClientReader } from '../http/context.ts';
import { type GatewayDeps, identityHeaders, showQuota, type TaskDeps, TaskPoller } from '../gateway/index.ts';
import type { TaskRouteDeps } from '../http/relay/index.ts';
import { providerOf } from '../relay/registry.ts';
import type { SettledBalance } from '../services/site/notify/index.ts';
import { createTasks, type Tasks } from '../services/calls/tasks/index.ts';

/** What vendors answer later: the service, what asks for news, and what the calls about it rest on. */
export interface TaskServices {
  tasks: Tasks;
  poller: TaskPoller;
  routes: TaskRouteDeps;
}

const mb = 1024 * 1024;

/** Wires tasks on the gateway of plain calls. */
export function openTasks(
  core: Core,
  gateway: GatewayDeps,
  clients: Pick<ClientReader, 'origin'>,
  onSettled: (settled: SettledBalance) => void,
): TaskServices {
  const { settings } = core;
  const tasks = createTasks({
    db: core.store.db,
    ledger: core.ledger,
    clock: core.clock,
    node: core.node,
    // Workers begin after the process that writes their file, and may be fewer than they were.
    isFirst: core.store.sqlite !== undefined,
    logsConsumption: () => gateway.logsConsumption(),
    sumsHourly: () => gateway.sumsHourly(),
    showQuota: (amount) => showQuota(settings, amount, '＄'),
  });
  const deps: TaskDeps = {
    gateway,
    tasks,
    provider: providerOf,
    toolsFor: core.sendTools,
    onSettled({ caller: { userId, team }, trace }, { charged, balance }) {
      trace?.settled({ charged });
      onSettled({ userId: team?.ownerId ?? userId, charged, balance, team });
    },
  };
  const poller = new TaskPoller(deps);
  return {
    tasks,
    poller,
    routes: {
      tasks: deps,
      poller,
      options: (req) => ({
        MjNotifyEnabled: settings.get('MjNotifyEnabled'),
        MjAccountFilterEnabled: settings.get('MjAccountFilterEnabled'),
        MjForwardUrlEnabled: settings.get('MjForwardUrlEnabled'),
        MjModeClearEnabled: settings.get('MjModeClearEnabled'),
        MjActionCheckSuccessEnabled: settings.get('MjActionCheckSuccessEnabled'),
        ServerAddress: settings.get('ServerAddress') || clients.origin(req),
      }),
      maxBodyBytes: core.env.maxRequestBodyMb * mb,
      identityHeaders,
    },
  };
}
