import { Textarea } from '@mantine/core';

interface ManualCopyFieldProps {
  words: string;
  label: string;
}

/** A preselected text to copy by hand. */
export function ManualCopyField({ words, label }: ManualCopyFieldProps) {
  return (
    <Textarea
      aria-label={label}
      value={words}
      readOnly
      autosize
      minRows={2}
      maxRows={14}
      data-autofocus
      onFocus={(event) => event.currentTarget.select()}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
    />
  );
}
