import { type Db, tokens, users } from './store/index.ts';
import type { StoredToken } from './services/tokens/index.ts';

/** Reads a token and its owner by the hash of its key; null when either is gone. */
export async function findStoredToken(db: Db, keyHash: string): Promise<StoredToken | null> {
  const token = await tokens.findByHash(db, keyHash);
  if (!token) return null;
  const owner = await users.find(db, token.user_id);
  if (!owner) return null;
  return {
    id: token.id,
    name: token.name,
    status: token.status,
    expiredTime: token.expired_time,
    remainQuota: token.remain_quota,
    unlimited: token.unlimited_quota === 1,
    modelLimitsEnabled: token.model_limits_enabled === 1,
    modelLimits: token.model_limits,
    allowIps: token.allow_ips,
    group: token.group,
    owner: {
      id: owner.id,
      accountId: owner.account_id,
      username: owner.username,
      role: owner.role,
      status: owner.status,
      group: owner.group,
      acceptUnsetPrice: acceptsUnsetPrice(owner.setting),
    },
  };
}

/** The user's own switch; a setting that was damaged in the table counts as off. */
function acceptsUnsetPrice(setting: string): boolean {
  try {
    const parsed: unknown = JSON.parse(setting || '{}');
    return (
      typeof parsed === 'object' &&
      parsed !== null &&
      'accept_unset_model_ratio_model' in parsed &&
      parsed.accept_unset_model_ratio_model === true
    );
  } catch {
    return false;
  }
}
