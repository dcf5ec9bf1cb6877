/** Where this device keeps that what is typed into a document is to be proposed. */
export const suggestingKey = (id: string): string => `agmd.suggesting.${id}`
