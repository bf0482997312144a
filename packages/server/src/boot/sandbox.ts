import { channelInput, defaultNames, tokenInput, type Words } from '@tollgate/contract';
import type { Core } from './core.ts';
import { newRequestId } from '../lib/request-id.ts';
import { sandbox } from '../relay/providers/sandbox/index.ts';
import type { Tokens } from '../services/tokens/index.ts';

/**
 * A channel that answers by itself and a token for it, so that a fresh site can make its first call without any
 * vendor's key. Both say in their names what they are, in the language of whoever sets up. Answers the token's whole key.
 */
export async function makeSandbox(
  core: Core,
  tokens: Tokens,
  userId: number,
  language: keyof Words,
): Promise<string> {
  const name = defaultNames.sandbox[language];
  await core.channels.create(
    channelInput.parse({
      type: sandbox.type,
      name,
      key: 'sandbox',
      models: sandbox.models.join(','),
      group: 'default',
      tag: 'sandbox',
    }),
  );
  const owner = await tokens.owner(userId);
  if (!owner) throw new Error(`user ${userId} is gone`);
  const input = tokenInput.parse({
    name,
    unlimited_quota: true,
    remain_quota: 0,
    expired_time: -1,
  });
  const token = await tokens.create(owner, input, newRequestId(core.clock()));
  return token.key;
}
