import { channelChanges } from './changes.ts';
import type { ChannelsDeps } from './deps.ts';
import { channelKeysService } from './multi-key.ts';
import { channelQueries } from './queries.ts';
import { channelRenewal } from './renew.ts';
import type { Channels } from './service.ts';
import { channelReplacement } from './replace.ts';
import { channelUpkeep } from './status.ts';
import { channelTags } from './tags.ts';

export { adoptChannel, type AdoptedChannel, type AdoptedKey } from './adopt.ts';
export { type ChannelsDeps, channelsMark } from './deps.ts';
export { headersPlace, sealFormerHeaders } from './header-secrets.ts';
export { keyPlace, maxKeys } from './keys.ts';
export { withoutCredentials } from './parse.ts';
export { proxyPlace } from './proxy-password.ts';
export { sealFormerSetting } from './proxy-password.ts';
export { upstreamName } from './replace.ts';
export type { Channels, KeyRenewal, ManagedKey } from './service.ts';
export type { ChannelNotice, RoutedChannel } from './types.ts';

/** Opens the channel service. */
export const createChannels = (deps: ChannelsDeps): Channels => ({
  ...channelQueries(deps),
  ...channelChanges(deps),
  ...channelTags(deps),
  ...channelReplacement(deps),
  ...channelUpkeep(deps),
  ...channelKeysService(deps),
  ...channelRenewal(deps),
});
