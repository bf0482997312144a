import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { CopyButton } from '../../../shared/copy/copy-button.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { Notice } from '../../../ui/notice.tsx';
import { useEnable } from './queries.ts';
import { showRecoveryCodes } from './recovery-codes.tsx';
import { text } from './text.ts';
import classes from './two-step.module.css';
import encodeQR from 'qr';

interface QrPictureProps {
  text: string;
  label: string;
}

/** A QR code, drawn in the browser: it contains a secret that no other service must see. */
function QrPicture({ text, label }: QrPictureProps) {
  const rows = encodeQR(text, 'raw', { border: 2 });
  const path = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg
      className={classes.qr}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path d={path.join('')} />
    </svg>
  );
}

interface SetUpAppProps {
  proposal: { secret: string; qr_code_data: string; backup_codes: readonly string[] };
  onClose: () => void;
}

/** Groups of four are easier to type. */
const inGroups = (secret: string): string => secret.replace(/(.{4})(?=.)/g, '$1 ');

/** Shows the app its secret. A code of the app switches two-step sign-in on and shows the recovery codes. */
export function SetUpApp({ proposal, onClose }: SetUpAppProps) {
  const t = useTranslate();
  const language = useLanguage();
  const enable = useEnable();
  const form = useForm({
    initialValues: { code: '' },
    validate: { code: (value) => (/^\s*(\d\s*){6}$/.test(value) ? null : t(text.codeRequired)) },
  });
  const submit = form.onSubmit(({ code }) =>
    enable.mutate(code, {
      onSuccess: () => {
        toast.good(t(text.enabled));
        onClose();
        if (proposal.backup_codes.length > 0) showRecoveryCodes(proposal.backup_codes);
      },
    }),
  );
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t(text.scan)}
        </Text>
        <QrPicture text={proposal.qr_code_data} label={t(text.picture)} />
        <Group gap="xs" wrap="nowrap">
          <code className={classes.secret} aria-label={t(text.secret)}>
            {inGroups(proposal.secret)}
          </code>
          <CopyButton value={proposal.secret} what={t(text.secret)} />
        </Group>
        <TextInput
          label={t(text.code)}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={16}
          data-autofocus
          {...form.getInputProps('code')}
        />
        {enable.error && (
          <Notice tone="bad" role="alert">
            {errorMessage(enable.error, language)}
          </Notice>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t(text.cancel)}
          </Button>
          <Button type="submit" loading={enable.isPending}>
            {t(text.enable)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
