import { channelInput, defaultNames, type Language, tokenInput } from '@tollgate/contract';
import type { Clock } from '../../../lib/clock.ts';
import { newRequestId } from '../../../lib/request-id.ts';
import type { Provider } from '../../../relay/types/index.ts';
import type { Channels } from '../../calls/channels/index.ts';
import type { Tokens } from '../../people/tokens/index.ts';

export interface SandboxDeps {
  /** The provider that answers in the process. */
  sandbox: Pick<Provider, 'type' | 'models'>;
  channels: Pick<Channels, 'create'>;
  tokens: Pick<Tokens, 'owner' | 'create'>;
  clock: Clock;
}

/**
 * Creates a sandbox channel and a token for it, so that a new site can make its first call without a vendor's key.
 * Their names describe them in `language`. Returns the token's whole key.
 */
export async function makeSandbox(
  { sandbox, channels, tokens, clock }: SandboxDeps,
  userId: number,
  language: Language,
): Promise<string> {
  const name = defaultNames.sandbox[language];
  await channels.create(
    channelInput.parse({
      type: sandbox.type,
      name,
      key: 'sandbox',
      models: sandbox.models.join(','),
      group: 'default',
      tag: 'sandbox',
      // Drawings and songs have the same names for every vendor: a vendor's channel has priority.
      priority: -1,
    }),
  );
  const owner = await tokens.owner(userId);
  if (!owner) throw new Error(`user ${userId} is gone`);
  const input = tokenInput.parse({ name, unlimited_quota: true, remain_quota: 0, expired_time: -1 });
  const token = await tokens.create(owner, input, newRequestId(clock()));
  return token.key;
}
