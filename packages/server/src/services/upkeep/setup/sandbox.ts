import { channelInput, tokenInput } from '@tollgate/contract';
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

/** Name of the channel and of the token. */
const sandboxName = 'sandbox';

/**
 * Creates a sandbox channel and a token for it, so that a new site can make its first call without a vendor's key.
 * Both are called `sandbox`, like its models: a name in a language would stay when its reader changes it. Returns the
 * token's whole key.
 */
export async function makeSandbox(
  { sandbox, channels, tokens, clock }: SandboxDeps,
  userId: number,
): Promise<string> {
  await channels.create(
    channelInput.parse({
      type: sandbox.type,
      name: sandboxName,
      key: 'sandbox',
      models: sandbox.models.join(','),
      group: 'default',
      tag: sandboxName,
      // Drawings and songs have the same names for every vendor: a vendor's channel has priority.
      priority: -1,
    }),
  );
  const owner = await tokens.owner(userId);
  if (!owner) throw new Error(`user ${userId} is gone`);
  const input = tokenInput.parse({
    name: sandboxName,
    unlimited_quota: true,
    remain_quota: 0,
    expired_time: -1,
  });
  const token = await tokens.create(owner, input, newRequestId(clock()));
  return token.key;
}
