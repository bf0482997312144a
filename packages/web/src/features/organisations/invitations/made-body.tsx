import { Button, Group, Stack, Text } from '@mantine/core';
import type { NewTeamInvitation } from '@tollgate/contract';
import { siteAddress } from '../../../lib/address.ts';
import { useStatus } from '../../../lib/api/status.ts';
import { useSay } from '../../../lib/i18n.ts';
import { SecretField } from '../../../shared/copy/secret-field.tsx';
import { invitationText as text } from './text.ts';

interface MadeBodyProps {
  invitation: NewTeamInvitation;
  onClose: () => void;
}

/** The link of a new invitation, which nobody sees again. */
export function MadeBody({ invitation, onClose }: MadeBodyProps) {
  const say = useSay();
  const link = `${siteAddress(useStatus())}/organisations/join#${invitation.code}`;
  const { invitee: name } = invitation;
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {name === '' ? say(text.madeAnyone) : say(text.madeNamed, { name })}
      </Text>
      <SecretField label={say(text.madeLink)} value={link} open />
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          {say(text.done)}
        </Button>
      </Group>
    </Stack>
  );
}
