/** An OpenID provider that root added: one way to sign in. */
export interface SignInProviderTable {
  /** Its name in addresses and in the table of identities; never changes. */
  slug: string;
  /** For people. */
  name: string;
  /** An https address or a data image; '' for none. */
  logo: string;
  /** Its issuer, or the address of its document. */
  well_known: string;
  /** Who signs its id tokens. Subjects mean something together with it alone. */
  issuer: string;
  client_id: string;
  client_secret_sealed: string;
  /** Separated by blanks. */
  scopes: string;
  /** 1 or 0. */
  enabled: number;
  /** Buttons stand in this order. */
  position: number;
  /** Unix seconds. */
  created_time: number;
}
