import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Channels } from '../../services/calls/channels/index.ts';
import {
  failedPart,
  isChannelFault,
  type Routing,
  shouldDisable,
  vendorWaitMs,
} from '../../services/calls/routing/index.ts';
import type { Settings } from '../../services/site/settings/index.ts';
import type { GatewayDeps } from '../call/index.ts';

export interface DisableDeps {
  settings: Settings;
  channels: Pick<Channels, 'autoDisable' | 'disableKey'>;
  routing: Pick<Routing, 'health'>;
  clock: Clock;
  log: Log;
}

/**
 * Disables a channel, or one of several keys, whose key was refused or whose account is empty (docs/compatibility.md#automatic-disabling).
 * Runs beside the request.
 */
export function disableOnFailure({
  settings,
  channels,
  routing,
  clock,
  log,
}: DisableDeps): GatewayDeps['onFailure'] {
  return (channel, error, asked) => {
    if (isChannelFault(error))
      routing.health.failed(failedPart(channel, error), vendorWaitMs(error, clock()));
    const disable = shouldDisable(error, {
      enabled: settings.get('AutomaticDisableChannelEnabled'),
      autoBan: channel.autoBan,
      channelType: channel.type,
      keywords: settings.get('AutomaticDisableKeywords'),
      asked,
    });
    if (!disable) return;
    const reason = error.words ?? error.message;
    const { id, chosenKey } = channel;
    (chosenKey ? channels.disableKey(id, chosenKey.id, reason) : channels.autoDisable(id, reason)).catch(
      (cause: unknown) => {
        log.error({ channel: id, err: cause }, 'a failing channel could not be switched off');
      },
    );
  };
}
