import { Button, Stack } from '@mantine/core';
import type { TokenData } from '@tollgate/contract';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { Hint } from '../../shared/feedback/hint.tsx';
import { toast } from '../../shared/feedback/toast.ts';
import { formText } from '../../shared/keys/key-text.ts';
import { LazyMount } from '../../shared/lazy/lazy-mount.tsx';
import { useEdited } from '../../shared/url-state/use-edited.ts';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { tokenQuery } from './queries.ts';
import { tokenSearch } from './search.ts';
import { text } from './text.ts';
import { TokenList, useTokenList } from './token-list.tsx';
import { useQuery } from '@tanstack/react-query';
import { formatNumber } from '../../lib/format/number-format.ts';
import { Money } from '../../shared/money/money.tsx';
import { Spent } from '../../shared/money/spent.tsx';
import { selfQuery } from '../../shared/self.ts';
import { Figure, Figures, figureValue } from '../../ui/figure.tsx';

/** Balance and spending of the account that pays for all tokens. */
function AccountFigures() {
  const t = useTranslate();
  const language = useLanguage();
  const self = useQuery(selfQuery);
  return (
    <Figures>
      <Figure
        label={t(text.balance)}
        value={figureValue(self, ({ quota }) => (
          <Money quota={quota} />
        ))}
      />
      <Spent label={t(text.used)} user={self.data} isError={self.isError} />
      <Figure
        label={t(text.requests)}
        value={figureValue(self, (user) => formatNumber(user.request_count, language))}
      />
    </Figures>
  );
}

const TokenDrawer = lazy(async () => ({ default: (await import('./drawers.tsx')).TokenDrawer }));
const UseDrawer = lazy(async () => ({ default: (await import('./drawers.tsx')).OwnUseDrawer }));
const LoadErrorDrawer = lazy(async () => ({
  default: (await import('../../shared/state/load-error-drawer.tsx')).LoadErrorDrawer,
}));
const CreatedDialog = lazy(async () => ({
  default: (await import('../../shared/keys/created-dialog.tsx')).CreatedDialog,
}));

export function Page() {
  const t = useTranslate();
  const [, setSearch] = useUrlState(tokenSearch);
  const add = (
    <Button leftSection={<Plus size={16} />} onClick={() => setSearch({ edit: 'new' })}>
      {t(text.add)}
    </Button>
  );
  return (
    <>
      <PageHead title={t(text.title)} hint={t(text.hint)} actions={add} />
      <Stack gap={14}>
        <Hint name="tokens" tone="warn">
          {t(text.advice)}
        </Hint>
        <AccountFigures />
        <TokenList add={add} />
      </Stack>
      <Drawers />
    </>
  );
}

/** Drawers over the list: the form, the usage help, and the keys of several that were just created. */
function Drawers() {
  const t = useTranslate();
  const [{ edit, use }, setSearch] = useUrlState(tokenSearch);
  const { tokens } = useTokenList();
  const edited = useEdited({ edit, rows: tokens.data, query: tokenQuery });
  const [created, setCreated] = useState<readonly TokenData[]>([]);
  const close = () => setSearch({ edit: '' });
  const onCreated = (made: TokenData[]) => {
    const [only] = made;
    setCreated(made);
    setSearch({ edit: '', use: made.length === 1 && only ? only.id : 0 });
  };
  return (
    <>
      <LazyMount when={edited.opened}>
        <TokenDrawer
          opened={edited.opened}
          token={edited.row}
          onClose={close}
          onCreated={onCreated}
          onSaved={() => {
            close();
            toast.good(t(text.saved));
          }}
        />
      </LazyMount>
      <LazyMount when={edited.problem !== null}>
        <LoadErrorDrawer
          title={t(formText.editTitle)}
          error={edited.problem}
          onRetry={edited.retry}
          onClose={close}
        />
      </LazyMount>
      <LazyMount when={use > 0}>
        <UseDrawer
          tokenId={use}
          isNew={created.some((token) => token.id === use)}
          onClose={() => setSearch({ use: 0 })}
        />
      </LazyMount>
      <LazyMount when={created.length > 1}>
        <CreatedDialog tokens={created.length > 1 ? created : []} onClose={() => setCreated([])} />
      </LazyMount>
    </>
  );
}
