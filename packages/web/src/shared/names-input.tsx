import { TagsInput, type TagsInputProps } from '@mantine/core';
import { toast } from './feedback/toast.ts';

interface NamesInputProps extends Omit<TagsInputProps, 'isDuplicate' | 'onDuplicate'> {
  /** Said when a name is entered that is there already. */
  exists: string;
}

/** Upper and lower case tell names of models and groups apart, which the library's own check does not see. */
const isSame = (name: string, names: readonly string[]): boolean => names.includes(name);

/** Names of models or groups, typed or chosen, several at once where commas or lines separate them. */
export const NamesInput = ({ exists, ...props }: NamesInputProps) => (
  <TagsInput
    splitChars={[',', '，', '\n']}
    {...props}
    isDuplicate={isSame}
    onDuplicate={() => toast.info(exists)}
  />
);
