import { Button, Group, Stack, Text } from '@mantine/core';
import { isMailAddress, type NewTeamInvitation } from '@tollgate/contract';
import { siteAddress } from '../../../lib/address.ts';
import { useStatus } from '../../../lib/api/status.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import { SecretField } from '../../../shared/copy/secret-field.tsx';
import { invitationText as text } from './text.ts';

interface CreatedBodyProps {
  invitation: NewTeamInvitation;
  onClose: () => void;
}

/** The link of a new invitation, which is shown only once. */
export function CreatedBody({ invitation, onClose }: CreatedBodyProps) {
  const t = useTranslate();
  const link = `${siteAddress(useStatus())}/organisations/join#${invitation.code}`;
  const { invitee: name } = invitation;
  const who = t(name === '' || isMailAddress(name) ? text.anyoneOnce : text.onlyUser);
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {name === '' ? t(text.madeAnyone, { who }) : t(text.madeNamed, { name, who })}
      </Text>
      <SecretField label={t(text.madeLink)} value={link} open />
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          {t(text.done)}
        </Button>
      </Group>
    </Stack>
  );
}
