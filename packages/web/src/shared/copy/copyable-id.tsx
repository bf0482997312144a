import { Group } from '@mantine/core';
import { InlineCode } from '../../ui/inline-code.tsx';
import { CopyButton } from './copy-button.tsx';

interface CopyableIdProps {
  id: string;
  /** Name of the value, for the label of the button. */
  what: string;
}

/** An id as it is, with a button that copies it. */
export function CopyableId({ id, what }: CopyableIdProps) {
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      <InlineCode>{id}</InlineCode>
      <CopyButton value={id} what={what} size="xs" />
    </Group>
  );
}
