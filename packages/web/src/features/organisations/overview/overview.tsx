import type { TeamData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { formatNumber } from '../../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { LazyBudgets } from '../../../shared/budgets/lazy-budgets.tsx';
import { Time } from '../../../shared/date-time/time.tsx';
import { GroupTag } from '../../../shared/group-tag/group-tag.tsx';
import { CreditEnds } from '../../../shared/credit-ends/credit-ends.tsx';
import { Money, MoneySum } from '../../../shared/money/money.tsx';
import { DescriptionList } from '../../../ui/description-list.tsx';
import { Figure, Figures, figureValue } from '../../../ui/figure.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { teamActions } from '../base/permissions.ts';
import classes from '../base/organisations.module.css';
import { statementQuery } from '../base/queries.ts';
import { text as baseText } from '../base/text.ts';
import { LimitLeft, TeamRoleTag, useLimitText } from '../base/labels.tsx';
import { overviewText as text } from './text.ts';
import { WalletPanel } from './wallet-panel.tsx';

/** The wallet, this month's usage, the own limit, the budgets, and the actions on the wallet. */
export function Overview({ team }: { team: TeamData }) {
  const t = useTranslate();
  return (
    <div className={classes.stack}>
      <TeamFigures team={team} />
      <div className={classes.pair}>
        <WalletPanel team={team} />
        <About team={team} />
      </div>
      <Panel title={t(text.budgets)}>
        <LazyBudgets
          scope={{ team_id: team.id, user_id: 0, token_id: 0, for_each: '' }}
          mayAdd={teamActions(team).has('rename')}
        />
      </Panel>
      {teamActions(team).has('rename') && (
        <Panel title={t(text.memberBudgets)}>
          <LazyBudgets scope={{ team_id: team.id, for_each: 'member' }} mayAdd />
        </Panel>
      )}
    </div>
  );
}

function TeamFigures({ team }: { team: TeamData }) {
  const t = useTranslate();
  const limitWords = useLimitText();
  const seesAll = teamActions(team).has('seeAll');
  const isLimited = team.limit_left !== null;
  return (
    <Figures>
      <Figure
        label={t(text.wallet)}
        value={<Money quota={team.balance} />}
        note={seesAll && <CreditEnds owner={{ team: team.id }} balance={team.balance} />}
      />
      {seesAll && <TeamMonth id={team.id} />}
      <Figure label={t(text.ownMonth)} value={<MoneySum quota={team.used_month} />} />
      <Figure
        label={t(text.ownLeft)}
        value={isLimited ? <LimitLeft limit={team} /> : t(baseText.noLimit)}
        {...(isLimited && { note: limitWords(team) })}
      />
    </Figures>
  );
}

/** Usage of all members this month, from the statement. */
function TeamMonth({ id }: { id: number }) {
  const t = useTranslate();
  const statement = useQuery(statementQuery(id, '', 1, 10));
  return (
    <Figure
      label={t(text.teamMonth)}
      value={figureValue(statement, ({ sums }) => (
        <MoneySum quota={Math.abs(sums.find(({ kind }) => kind === 'usage')?.amount ?? 0)} />
      ))}
    />
  );
}

function About({ team }: { team: TeamData }) {
  const t = useTranslate();
  const language = useLanguage();
  const limitWords = useLimitText();
  return (
    <Panel title={t(text.about)}>
      <DescriptionList
        rows={[
          [t(text.role), <TeamRoleTag key="role" role={team.role} />],
          [t(text.limit), limitWords(team)],
          [t(text.ownedBy), team.owner_name],
          [t(text.members), formatNumber(team.member_count, language)],
          [t(text.group), <GroupTag key="group" group={team.group} />],
          [t(text.opened), <Time key="opened" at={team.created_time} />],
        ]}
      />
    </Panel>
  );
}
