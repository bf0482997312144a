import { NativeSelect, type NativeSelectProps } from '@mantine/core';

interface ChoiceFieldProps<Value extends string> extends Omit<
  NativeSelectProps,
  'data' | 'value' | 'onChange'
> {
  data: readonly { value: Value; label: string }[];
  value: Value;
  onChange: (value: Value) => void;
}

/** A choice from a short list. The browser draws the list, so a page loads and mounts nothing for it. */
export function ChoiceField<Value extends string>({ data, onChange, ...props }: ChoiceFieldProps<Value>) {
  return (
    <NativeSelect
      {...props}
      data={[...data]}
      onChange={(event) => onChange(event.currentTarget.value as Value)}
    />
  );
}
