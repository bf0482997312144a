import { accounts, type Db, teamMembers, tokens, users } from '../../../store/index.ts';
import type { Settings } from '../../site/settings/index.ts';

/** Who pays for a call: an account, and a token where the call came with one (0 for none). */
export interface Payer {
  userId: number;
  accountId: number;
  tokenId: number;
  tokenUnlimited: boolean;
  /** Where a team pays. */
  team?: { id: number } | null;
}

/** What a payer has left and has used, in quota units; `expiresAt` in Unix seconds, -1 for never. */
export interface Funds {
  remaining: number;
  used: number;
  expiresAt: number;
  unlimited: boolean;
}

export interface FundsReader {
  /** What the billing routes show: the token's figures where the site shows those, else the account's. */
  shown(payer: Payer): Promise<Funds>;
  /**
   * What there is to pay with: the account's balance, and what is left of the token and of the member's limit
   * (undefined where unlimited).
   */
  left(payer: Payer): Promise<{ balance: number; token: number | undefined; member: number | undefined }>;
}

/** Reads what callers have left, from the rows themselves. */
export const createFunds = ({ db, settings }: { db: Db; settings: Settings }): FundsReader => ({
  async shown(payer) {
    const token = payer.tokenId > 0 ? await tokens.find(db, payer.tokenId) : undefined;
    if (token && settings.get('DisplayTokenStatEnabled')) {
      return {
        remaining: token.remain_quota,
        used: token.used_quota,
        expiresAt: token.expired_time,
        unlimited: token.unlimited_quota === 1,
      };
    }
    const [account, user, member] = await Promise.all([
      accounts.find(db, payer.accountId),
      users.find(db, payer.userId),
      memberOf(db, payer),
    ]);
    if (member) {
      const balance = account?.balance ?? 0;
      const remaining = member.unlimited_quota === 1 ? balance : Math.min(balance, member.remain_quota);
      return { remaining, used: member.used_quota, expiresAt: -1, unlimited: false };
    }
    return { remaining: account?.balance ?? 0, used: user?.used_quota ?? 0, expiresAt: -1, unlimited: false };
  },
  async left(payer) {
    const { accountId, tokenId, tokenUnlimited } = payer;
    const [account, token, member] = await Promise.all([
      accounts.find(db, accountId),
      tokenId > 0 && !tokenUnlimited ? tokens.find(db, tokenId) : undefined,
      memberOf(db, payer),
    ]);
    return {
      balance: account?.balance ?? 0,
      token: token?.remain_quota,
      member: member?.unlimited_quota === 0 ? member.remain_quota : undefined,
    };
  },
});

const memberOf = async (db: Db, { team, userId }: Payer) =>
  team ? teamMembers.find(db, team.id, userId) : undefined;
