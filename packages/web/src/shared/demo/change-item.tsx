import { Menu, type MenuItemProps } from '@mantine/core';
import { useAsleep } from './use-asleep.ts';

/** A choice of a menu that changes something at the server at once: disabled with the reason on a demo site. */
export function ChangeItem(props: MenuItemProps & { onClick: () => void }) {
  return <Menu.Item {...props} {...useAsleep()} />;
}
