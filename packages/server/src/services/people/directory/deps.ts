import type { Clock } from '../../../lib/clock.ts';
import type { Audit } from '../../site/audit/index.ts';
import type { Accounts } from '../accounts/index.ts';
import type { RuleDeps } from '../oauth/index.ts';

export interface DirectoryDeps extends Omit<RuleDeps, 'accounts'> {
  accounts: RuleDeps['accounts'] & Pick<Accounts, 'registerForeign' | 'enterFromDirectory'>;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
}
