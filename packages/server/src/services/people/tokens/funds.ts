import { accounts, type Db, teamMembers, tokens, users } from '../../../store/index.ts';
import type { Settings } from '../../site/settings/index.ts';
import { namesIn } from './resolve.ts';

/** The payer of a call: an account, and a token if the call has one (0 for none). */
interface Payer {
  userId: number;
  accountId: number;
  tokenId: number;
  tokenUnlimited: boolean;
  /** Set if a team pays. */
  team?: { id: number } | null;
}

/** Remaining and used quota of a payer, in quota units; `expiresAt` in Unix seconds, -1 for never. */
export interface Funds {
  remaining: number;
  used: number;
  expiresAt: number;
  unlimited: boolean;
}

/** Figures of a key that the key itself may read. */
export interface KeyFunds extends Funds {
  name: string;
  /** Unix seconds. */
  createdAt: number;
  /** The only models that it may call; undefined for all. */
  models: readonly string[] | undefined;
}

export interface FundsReader {
  /** The figures of a payer's token, regardless of the site's setting; undefined if it was deleted. */
  ofKey(payer: Pick<Payer, 'tokenId'>): Promise<KeyFunds | undefined>;
  /** The account's figures, limited by the remaining limit of a member. */
  ofWallet(payer: Payer): Promise<Funds>;
  /** Figures of the billing routes: the token's if the site shows them, otherwise the account's. */
  shown(payer: Payer): Promise<Funds>;
  /**
   * Free amounts: the account's balance, and the remainder of the token and of the member's limit (undefined if
   * unlimited).
   */
  left(payer: Payer): Promise<{ balance: number; token: number | undefined; member: number | undefined }>;
}

/** Reads the remaining amounts of callers directly from the rows. */
export function createFunds({ db, settings }: { db: Db; settings: Settings }): FundsReader {
  const ofWallet = async (payer: Payer): Promise<Funds> => {
    const [account, user, member] = await Promise.all([
      accounts.find(db, payer.accountId),
      users.find(db, payer.userId),
      findMember(db, payer),
    ]);
    const balance = account?.balance ?? 0;
    if (!member) return { remaining: balance, used: user?.used_quota ?? 0, expiresAt: -1, unlimited: false };
    const remaining = member.unlimited_quota === 1 ? balance : Math.min(balance, member.remain_quota);
    return { remaining, used: member.used_quota, expiresAt: -1, unlimited: false };
  };
  return {
    async ofKey({ tokenId }) {
      const token = await tokens.find(db, tokenId);
      return (
        token && {
          ...fundsOf(token),
          name: token.name,
          createdAt: token.created_time,
          models: token.model_limits_enabled === 1 ? namesIn(token.model_limits) : undefined,
        }
      );
    },
    ofWallet,
    async shown(payer) {
      const token = payer.tokenId > 0 ? await tokens.find(db, payer.tokenId) : undefined;
      return token && settings.get('DisplayTokenStatEnabled') ? fundsOf(token) : ofWallet(payer);
    },
    async left(payer) {
      const { accountId, tokenId, tokenUnlimited } = payer;
      const [account, token, member] = await Promise.all([
        accounts.find(db, accountId),
        tokenId > 0 && !tokenUnlimited ? tokens.find(db, tokenId) : undefined,
        findMember(db, payer),
      ]);
      return {
        balance: account?.balance ?? 0,
        token: token?.remain_quota,
        member: member?.unlimited_quota === 0 ? member.remain_quota : undefined,
      };
    },
  };
}

const fundsOf = (token: tokens.TokenRow): Funds => ({
  remaining: token.remain_quota,
  used: token.used_quota,
  expiresAt: token.expired_time,
  unlimited: token.unlimited_quota === 1,
});

const findMember = async (db: Db, { team, userId }: Payer) =>
  team ? teamMembers.find(db, team.id, userId) : undefined;
