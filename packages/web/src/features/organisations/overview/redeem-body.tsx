import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { useQuotaDisplay } from '../../../lib/api/status.ts';
import { formatMoney } from '../../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import { text as baseText } from '../base/text.ts';
import { useTeamRedeem } from './queries.ts';
import { overviewText as text } from './text.ts';

interface RedeemBodyProps {
  teamId: number;
  onClose: () => void;
}

/** Redeems a code for the wallet of an organisation. */
export function RedeemBody({ teamId, onClose }: RedeemBodyProps) {
  const t = useTranslate();
  const language = useLanguage();
  const display = useQuotaDisplay();
  const redeem = useTeamRedeem(teamId);
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const submit = () => {
    if (code.trim() === '') return setProblem(t(text.codeRequired));
    setProblem(null);
    redeem.mutate(code.trim(), {
      onSuccess: (gained) => {
        toast.good(t(text.redeemed, { money: formatMoney(gained, display) }));
        onClose();
      },
      onError: (error) => setProblem(errorMessage(error, language)),
    });
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="md">
        <TextInput
          label={t(text.code)}
          value={code}
          error={problem}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t(baseText.cancel)}
          </Button>
          <Button type="submit" loading={redeem.isPending}>
            {t(text.redeemAction)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
