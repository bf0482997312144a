import type { TeamData } from '@tollgate/contract';
import { ArrowDownToLine, ArrowUpFromLine, Ticket } from 'lucide-react';
import { useTranslate } from '../../../lib/i18n.ts';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { openLazyDialog } from '../../../shared/dialog/open-lazy-dialog.ts';
import { Panel } from '../../../ui/panel.tsx';
import { teamActions } from '../base/permissions.ts';
import classes from '../base/organisations.module.css';
import type { Direction } from './queries.ts';
import { overviewText as text } from './text.ts';

/** Actions of a user on the wallet. */
export function WalletPanel({ team }: { team: TeamData }) {
  const t = useTranslate();
  const may = teamActions(team);
  const move = (direction: Direction) =>
    openLazyDialog({
      title: t(direction === 'fund' ? text.fundTitle : text.withdrawTitle, { team: team.name }),
      body: async (close) => {
        const { MoveBody } = await import('./move-body.tsx');
        return <MoveBody team={team} direction={direction} onClose={close} />;
      },
    });
  const redeem = () =>
    openLazyDialog({
      title: t(text.redeemTitle, { team: team.name }),
      body: async (close) => {
        const { RedeemBody } = await import('./redeem-body.tsx');
        return <RedeemBody teamId={team.id} onClose={close} />;
      },
    });
  return (
    <Panel title={t(text.walletTitle)} hint={t(text.walletHint)}>
      {may.has('fund') ? (
        <div className={classes.buttons}>
          <MutationButton leftSection={<ArrowDownToLine size={15} />} onClick={() => void move('fund')}>
            {t(text.fund)}
          </MutationButton>
          <MutationButton variant="default" leftSection={<Ticket size={15} />} onClick={() => void redeem()}>
            {t(text.redeem)}
          </MutationButton>
          {may.has('withdraw') && (
            <MutationButton
              variant="default"
              leftSection={<ArrowUpFromLine size={15} />}
              onClick={() => void move('withdraw')}
            >
              {t(text.withdraw)}
            </MutationButton>
          )}
        </div>
      ) : (
        <p className={classes.quiet}>{t(text.walletMember)}</p>
      )}
    </Panel>
  );
}
