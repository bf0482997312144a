import { Button, Group, Skeleton, Stack } from '@mantine/core';
import type { UserData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { formatNumber } from '../../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { useCopy } from '../../../shared/copy/use-copy.tsx';
import { Money } from '../../../shared/money/money.tsx';
import { Spent } from '../../../shared/money/spent.tsx';
import { Figure, Figures } from '../../../ui/figure.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import classes from '../base/personal.module.css';
import { selfModelsQuery } from '../../../shared/self.ts';
import { text } from '../base/text.ts';

/** Balance, spending and models of the account. */
export function BalancePanel({ self }: { self: UserData }) {
  const t = useTranslate();
  const language = useLanguage();
  const links = (
    <Group gap="xs">
      <Button size="xs" variant="default" renderRoot={(props) => <Link to="/log" {...props} />}>
        {t(text.toLogs)}
      </Button>
      <Button size="xs" variant="default" renderRoot={(props) => <Link to="/topup" {...props} />}>
        {t(text.toWallet)}
      </Button>
    </Group>
  );
  return (
    <Panel title={t(text.balanceSection)} actions={links}>
      <Stack gap="md">
        <Figures>
          <Figure label={t(text.balance)} value={<Money quota={self.quota} />} />
          <Spent label={t(text.used)} user={self} />
          <Figure label={t(text.requests)} value={formatNumber(self.request_count, language)} />
        </Figures>
        <Models />
      </Stack>
    </Panel>
  );
}

/** Beyond this number, models are folded. */
const modelsShown = 10;

/** The names of the models; a click copies one. */
function Models() {
  const t = useTranslate();
  const language = useLanguage();
  const { data, error } = useQuery(selfModelsQuery);
  const { copy } = useCopy();
  const [isOpen, setOpen] = useState(false);
  if (error) return <p className={classes.quiet}>{errorMessage(error, language)}</p>;
  if (!data) return <Skeleton height={52} />;
  if (data.length === 0) return <p className={classes.quiet}>{t(text.noModels)}</p>;
  const more = data.length - modelsShown;
  return (
    <div>
      <p className={classes.modelsLabel}>{t(text.models)}</p>
      <div className={classes.models}>
        {data.slice(0, isOpen ? undefined : modelsShown).map((name) => (
          <button
            key={name}
            type="button"
            className={classes.model}
            title={t(text.copyModel, { name })}
            onClick={() => void copy(name)}
          >
            {name}
          </button>
        ))}
        {more > 0 && (
          <TextButton aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? t(text.fewerModels) : t(text.moreModels, { count: more })}
          </TextButton>
        )}
      </div>
    </div>
  );
}
