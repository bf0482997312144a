import { Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { errorMessage } from '../../lib/api/api-error.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { formatMoney } from '../../lib/format/number-format.ts';
import { useQuotaDisplay, useStatus } from '../../lib/api/status.ts';
import { MutationButton } from '../../shared/demo/mutation-button.tsx';
import { toast } from '../../shared/feedback/toast.ts';
import { Panel } from '../../ui/panel.tsx';
import { useRedeem } from './queries.ts';
import { text } from './text.ts';

export function RedeemPanel() {
  const t = useTranslate();
  const language = useLanguage();
  const display = useQuotaDisplay();
  const link = useStatus()?.top_up_link ?? '';
  const redeem = useRedeem();
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<string | null>(null);

  const submit = () => {
    if (code.trim() === '') return setProblem(t(text.codeRequired));
    setProblem(null);
    redeem.mutate(code.trim(), {
      onSuccess: (gained) => {
        setCode('');
        toast.good(t(text.gained, { money: formatMoney(gained, display) }));
      },
      onError: (error) => setProblem(errorMessage(error, language)),
    });
  };

  return (
    <Panel title={t(text.redeem)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextInput
          label={t(text.code)}
          value={code}
          error={problem}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <Group gap="xs" mt="sm">
          <MutationButton type="submit" loading={redeem.isPending}>
            {t(text.redeemAction)}
          </MutationButton>
          {/^https?:\/\//i.test(link) ? (
            <Button component="a" variant="default" href={link} target="_blank" rel="noreferrer">
              {t(text.getCode)}
            </Button>
          ) : (
            <Button variant="default" onClick={() => toast.bad(t(text.noLink))}>
              {t(text.getCode)}
            </Button>
          )}
        </Group>
      </form>
    </Panel>
  );
}
