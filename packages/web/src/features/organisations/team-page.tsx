import { Button, Skeleton, Tabs } from '@mantine/core';
import { teamStatus, type TeamData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Building2, KeyRound } from 'lucide-react';
import { Suspense, type FunctionComponent } from 'react';
import { ApiError, errorMessage } from '../../lib/api/api-error.ts';
import { useLanguage, useTranslate, texts } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { LoadError } from '../../shared/state/load-error.tsx';
import { TabStrip } from '../../shared/tab-strip.tsx';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { teamActions } from './base/permissions.ts';
import classes from './base/organisations.module.css';
import { teamQuery } from './base/queries.ts';
import { freshTab, teamSearch, teamTabs, type TeamTab } from './base/search.ts';
import { TeamRoleTag } from './base/labels.tsx';
import { Overview } from './overview/overview.tsx';

const text = texts({
  overview: { zh: '概览', en: 'Overview' },
  members: { zh: '成员', en: 'Members' },
  invitations: { zh: '邀请', en: 'Invitations' },
  keys: { zh: '令牌', en: 'Keys' },
  usage: { zh: '用量', en: 'Usage' },
  statement: { zh: '账单', en: 'Statement' },
  settings: { zh: '设置', en: 'Settings' },
  parts: { zh: '组织的各部分', en: 'Sections of the organisation' },
  back: { zh: '我的组织', en: 'My organisations' },
  newKey: { zh: '新建令牌', en: 'New key' },
  banned: {
    zh: '管理员已封禁该组织：令牌停止工作，额度不能转入或转出。',
    en: 'An administrator has banned this organisation: its keys no longer work, and its wallet cannot be added to or withdrawn from.',
  },
  none: { zh: '组织不存在', en: 'No such organisation' },
  loading: { zh: '组织', en: 'Organisation' },
});

type Part = FunctionComponent<{ team: TeamData }>;

/** Content of each tab. The first loads with the page, the others when they are opened. */
const parts: Record<TeamTab, Part> = {
  overview: Overview,
  members: lazy(async () => ({ default: (await import('./members/members.tsx')).Members })),
  invitations: lazy(async () => ({ default: (await import('./invitations/invitations.tsx')).Invitations })),
  keys: lazy(async () => ({ default: (await import('./keys/keys.tsx')).Keys })),
  usage: lazy(async () => ({ default: (await import('./usage/usage.tsx')).Usage })),
  statement: lazy(async () => ({ default: (await import('./statement/statement.tsx')).Statement })),
  settings: lazy(async () => ({ default: (await import('./settings.tsx')).Settings })),
};

/** Parts for managers and owners only; the server enforces this. */
const forManagers: readonly TeamTab[] = ['invitations', 'statement', 'settings'];

/** One organisation. */
export function Page() {
  const t = useTranslate();
  const language = useLanguage();
  const params: { id?: string } = useParams({ strict: false });
  const id = /^\d{1,15}$/.test(params.id ?? '') ? Number(params.id) : 0;
  const { data: team, error, refetch } = useQuery(teamQuery(id));
  if (team) return <Team key={team.id} team={team} />;
  const isNone = id === 0 || (error instanceof ApiError && error.code === 'team_not_found');
  return (
    <>
      <PageHead title={t(text.loading)} />
      {isNone ? (
        <EmptyState
          icon={<Building2 size={20} />}
          title={id === 0 || error === null ? t(text.none) : errorMessage(error, language)}
          action={
            <Button component={Link} to="/organisations" variant="default">
              {t(text.back)}
            </Button>
          }
        />
      ) : error ? (
        <LoadError error={error} onRetry={refetch} />
      ) : (
        <Skeleton height={420} />
      )}
    </>
  );
}

function Team({ team }: { team: TeamData }) {
  const t = useTranslate();
  const may = teamActions(team);
  const [{ tab }, setSearch] = useUrlState(teamSearch);
  const open = teamTabs.filter((name) => may.has('seeAll') || !forManagers.includes(name));
  const current = open.includes(tab) ? tab : 'overview';
  const newKey = may.has('makeKeys') && (
    <Button
      leftSection={<KeyRound size={16} />}
      onClick={() => setSearch({ ...freshTab, tab: 'keys', edit: 'new' })}
    >
      {t(text.newKey)}
    </Button>
  );
  return (
    <>
      <PageHead
        title={team.name}
        hint={
          <>
            <Link to="/organisations" className={classes.back}>
              {t(text.back)}
            </Link>{' '}
            <TeamRoleTag role={team.role} />
          </>
        }
        actions={newKey || undefined}
      />
      <div className={classes.stack}>
        {team.status !== teamStatus.enabled && <Notice tone="bad">{t(text.banned)}</Notice>}
        <Tabs
          value={current}
          onChange={(next) => {
            const chosen = open.find((name) => name === next);
            if (chosen) setSearch({ ...freshTab, tab: chosen });
          }}
          keepMounted={false}
        >
          <TabStrip label={t(text.parts)} chosen={current}>
            {open.map((name) => (
              <Tabs.Tab key={name} value={name}>
                {t(text[name])}
              </Tabs.Tab>
            ))}
          </TabStrip>
          {open.map((name) => (
            <TeamPanel key={name} name={name} team={team} />
          ))}
        </Tabs>
      </div>
    </>
  );
}

function TeamPanel({ name, team }: { name: TeamTab; team: TeamData }) {
  const Part = parts[name];
  return (
    <Tabs.Panel value={name} pt="md">
      <Suspense fallback={<Skeleton height={320} />}>
        <Part team={team} />
      </Suspense>
    </Tabs.Panel>
  );
}
