/** A function that performs an operation on a document. */
import type { Input, OperationName, Output } from '../../shared/operations/index.ts'
import type { Service } from './service.ts'
import type { Caller } from './rights/caller.ts'

export type OnDocument<Name extends OperationName> = (
  service: Service,
  caller: Caller,
  doc: string,
  input: Input<Name>
) => Promise<Output<Name>>
