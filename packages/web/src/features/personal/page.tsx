import { Skeleton, Stack, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { UserData } from '@tollgate/contract';
import { useDeferredValue, type FunctionComponent } from 'react';
import { type Text, useTranslate } from '../../lib/i18n.ts';
import { LazyInView } from '../../shared/lazy/lazy-in-view.tsx';
import { Section, Sections } from '../../shared/sections/sections.tsx';
import { LoadError } from '../../shared/state/load-error.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { selfQuery } from '../../shared/self.ts';
import { text } from './base/text.ts';
import { AccessTokenPanel } from './panels/access-token-panel.tsx';
import { AccountPanel } from './panels/account-panel.tsx';
import { BalancePanel } from './panels/balance-panel.tsx';
import { BindingsPanel } from './panels/bindings-panel.tsx';
import { InvitationPanel } from './panels/invitation-panel.tsx';
import { NoticesPanel } from './panels/notices-panel.tsx';
import { PasswordPanel } from './panels/password-panel.tsx';
import { RemovalPanel } from './panels/removal-panel.tsx';
import { SessionsPanel } from './panels/sessions-panel.tsx';
import { ExportButton } from '../../shared/personal-data/export-button.tsx';
import { Panel } from '../../ui/panel.tsx';
import classes from './base/personal.module.css';
import { useDemoDisabled } from '../../shared/demo/use-demo-disabled.ts';
import { toast } from '../../shared/feedback/toast.ts';
import { useSaveSetting } from './base/queries.ts';
import { settingOf } from './rules/setting.ts';
import { factorQuery } from '../../shared/reauthentication/queries.ts';
import { Notice } from '../../ui/notice.tsx';
import { AppRow } from './two-step/app-row.tsx';
import { PasskeyRows } from './two-step/passkey-rows.tsx';
import { RecoveryRow } from './two-step/recovery-row.tsx';
import { text as twoStepText } from './two-step/text.ts';

/** The second factors of the account: authenticator app, passkeys, and recovery codes. */
function TwoStepPanel() {
  const t = useTranslate();
  const { data: factors, error, refetch } = useQuery(factorQuery);
  return (
    <Panel title={t(twoStepText.title)} hint={t(twoStepText.hint)}>
      {error && factors === undefined ? (
        <LoadError error={error} onRetry={refetch} />
      ) : factors === undefined ? (
        <Skeleton height={140} />
      ) : (
        <Stack gap="md">
          {factors.required && <Notice tone="warn">{t(twoStepText.required)}</Notice>}
          <ul className={classes.list}>
            <AppRow factors={factors} />
            <PasskeyRows />
            {(factors.enabled || factors.passkeys > 0) && (
              <RecoveryRow left={factors.backup_codes_remaining} />
            )}
          </ul>
        </Stack>
      )}
    </Panel>
  );
}

/** Whether calls of models without a price are served; saved with the switch. */
function PricesPanel({ self }: { self: UserData }) {
  const t = useTranslate();
  const save = useSaveSetting(() => toast.good(t(text.pricesSaved)), false);
  const asleep = useDemoDisabled();
  const setting = settingOf(self.setting);
  const isOn = save.isPending
    ? save.variables.accept_unset_model_ratio_model
    : setting.accept_unset_model_ratio_model;
  return (
    <Panel title={t(text.prices)}>
      <Switch
        label={t(text.acceptUnpriced)}
        description={t(text.acceptUnpricedHint)}
        checked={isOn ?? false}
        disabled={save.isPending}
        {...asleep}
        onChange={(event) =>
          save.mutate({ ...setting, accept_unset_model_ratio_model: event.currentTarget.checked })
        }
      />
    </Panel>
  );
}

/** Far down: the sessions are fetched when they are nearly visible. */
const LateSessions = () => (
  <LazyInView height={170} width="100%" ahead={0}>
    <SessionsPanel />
  </LazyInView>
);

/** The data that the site stores about the user, as a download. */
function DataPanel() {
  const t = useTranslate();
  return (
    <Panel title={t(text.data)} actions={<ExportButton />}>
      <p className={classes.quiet}>{t(text.dataHint)}</p>
    </Panel>
  );
}

interface Part {
  id: string;
  title: Text;
  Panel: FunctionComponent<{ self: UserData }>;
}

/** Ordered from most used to least used. */
const parts: readonly Part[] = [
  { id: 'account', title: text.account, Panel: AccountPanel },
  { id: 'balance', title: text.balanceSection, Panel: BalancePanel },
  { id: 'invitation', title: text.invitation, Panel: InvitationPanel },
  { id: 'bindings', title: text.bindings, Panel: BindingsPanel },
  { id: 'notices', title: text.notices, Panel: NoticesPanel },
  { id: 'prices', title: text.prices, Panel: PricesPanel },
  { id: 'password', title: text.password, Panel: PasswordPanel },
  { id: 'two-step', title: text.twoStep, Panel: TwoStepPanel },
  { id: 'sessions', title: text.sessions, Panel: LateSessions },
  { id: 'access-token', title: text.accessToken, Panel: AccessTokenPanel },
  { id: 'data', title: text.data, Panel: DataPanel },
  { id: 'removal', title: text.removal, Panel: RemovalPanel },
];

/** The first section of the second column, which is about as high as the first with one session. */
const secondColumn = 'prices';

/** All settings of the user's own account. */
export function Page() {
  const t = useTranslate();
  const { data, error, refetch } = useQuery(selfQuery);
  // A dozen panels are rendered in slices, between which the browser answers the user. What a panel has saved shows at
  // once: a switch would otherwise return to its old position for a moment.
  const isShown = useDeferredValue(data !== undefined);
  const self = isShown ? data : undefined;
  return (
    <>
      <PageHead title={t(text.title)} hint={t(text.hint)} />
      {error && self === undefined ? (
        <LoadError error={error} onRetry={refetch} />
      ) : self === undefined ? (
        <Skeleton height={420} />
      ) : (
        <Sections list={parts.map(({ id, title }) => ({ id, title: t(title) }))}>
          {parts.map(({ id, Panel }) => (
            <Section key={id} id={id} startsColumn={id === secondColumn}>
              <Panel self={self} />
            </Section>
          ))}
        </Sections>
      )}
    </>
  );
}
