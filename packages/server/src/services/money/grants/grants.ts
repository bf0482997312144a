import { AppError, type GrantData, type LiabilitiesData, type WalletGrantsData } from '@tollgate/contract';
import type { Clock } from '../../../lib/clock.ts';
import { accounts, type Db } from '../../../store/index.ts';
import { type GrantLeft, readGrantsLeft } from '../ledger/index.ts';
import { readLiabilities } from './liabilities.ts';

/** Reads of the credit in wallets (docs/money.md#grants). */
export interface Grants {
  /** The credit in a user's own wallet. Throws `user_not_found`. */
  ofUser(userId: number): Promise<WalletGrantsData>;
  ofAccount(accountId: number): Promise<WalletGrantsData>;
  /** What the site owes its users. */
  liabilities(): Promise<LiabilitiesData>;
}

/** Longest list of credit; a wallet rarely has ten. */
const maxGrants = 1_000;

/** Opens the reads of credit. */
export function createGrants({ db, reports, clock }: { db: Db; reports: Db; clock: Clock }): Grants {
  const ofAccount = async (accountId: number): Promise<WalletGrantsData> => {
    const [wallet] = await readGrantsLeft(db, { ids: [accountId] });
    if (!wallet) return { balance: 0, grants: [] };
    return { balance: wallet.balance, grants: wallet.grants.slice(0, maxGrants).map(showGrant) };
  };
  return {
    ofAccount,
    liabilities: () => readLiabilities({ reports, clock }),
    async ofUser(userId) {
      const account = await accounts.ofUser(db, userId);
      if (!account) throw new AppError('user_not_found');
      return ofAccount(account.id);
    },
  };
}

const showGrant = ({ isRefundable, expiresAt, createdAt, ...grant }: GrantLeft): GrantData => ({
  ...grant,
  paid: grant.paid / 100,
  refundable: isRefundable,
  expires_time: expiresAt,
  created_time: createdAt,
});
