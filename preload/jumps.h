/*
 * Assembly of the jumps, for build-aux/stubs.sh: JUMP name, number for each function, and COMMON once.
 *
 * A jump leads to the address in its slot.  If the slot is not set, the arguments are kept while preload_resolve
 * finds the address.  After that the call goes on as if it had been made there, so nothing of this is in the stack.
 */
/* clang-format off */
#if defined __x86_64__

.macro JUMP name, number
	.globl \name
	.type \name, @function
\name:
	.cfi_startproc
	endbr64
	movq (preload_slots + 8 * \number)(%rip), %r11
	testq %r11, %r11
	jz unset_\number
	jmp *%r11
	.cfi_endproc
	.size \name, . - \name
.endm

.macro UNSET number
	.cfi_startproc
unset_\number:
	movl $\number, %r11d
	jmp resolve
	.cfi_endproc
.endm

.macro COMMON
resolve:
	.cfi_startproc
	pushq %rax
	.cfi_adjust_cfa_offset 8
	pushq %rdi
	.cfi_adjust_cfa_offset 8
	pushq %rsi
	.cfi_adjust_cfa_offset 8
	pushq %rdx
	.cfi_adjust_cfa_offset 8
	pushq %rcx
	.cfi_adjust_cfa_offset 8
	pushq %r8
	.cfi_adjust_cfa_offset 8
	pushq %r9
	.cfi_adjust_cfa_offset 8
	subq $128, %rsp
	.cfi_adjust_cfa_offset 128
	movups %xmm0, (%rsp)
	movups %xmm1, 16(%rsp)
	movups %xmm2, 32(%rsp)
	movups %xmm3, 48(%rsp)
	movups %xmm4, 64(%rsp)
	movups %xmm5, 80(%rsp)
	movups %xmm6, 96(%rsp)
	movups %xmm7, 112(%rsp)
	movl %r11d, %edi
	call preload_resolve
	movq %rax, %r11
	movups (%rsp), %xmm0
	movups 16(%rsp), %xmm1
	movups 32(%rsp), %xmm2
	movups 48(%rsp), %xmm3
	movups 64(%rsp), %xmm4
	movups 80(%rsp), %xmm5
	movups 96(%rsp), %xmm6
	movups 112(%rsp), %xmm7
	addq $128, %rsp
	.cfi_adjust_cfa_offset -128
	popq %r9
	.cfi_adjust_cfa_offset -8
	popq %r8
	.cfi_adjust_cfa_offset -8
	popq %rcx
	.cfi_adjust_cfa_offset -8
	popq %rdx
	.cfi_adjust_cfa_offset -8
	popq %rsi
	.cfi_adjust_cfa_offset -8
	popq %rdi
	.cfi_adjust_cfa_offset -8
	popq %rax
	.cfi_adjust_cfa_offset -8
	jmp *%r11
	.cfi_endproc
.endm

#elif defined __aarch64__

.macro JUMP name, number
	.globl \name
	.type \name, %function
\name:
	.cfi_startproc
	hint 34
	adrp x16, preload_slots + 8 * \number
	ldr x16, [x16, #:lo12:preload_slots + 8 * \number]
	cbz x16, unset_\number
	br x16
	.cfi_endproc
	.size \name, . - \name
.endm

.macro UNSET number
	.cfi_startproc
unset_\number:
	mov w17, #\number
	b resolve
	.cfi_endproc
.endm

.macro COMMON
resolve:
	.cfi_startproc
	stp x29, x30, [sp, #-224]!
	.cfi_def_cfa_offset 224
	.cfi_offset x29, -224
	.cfi_offset x30, -216
	mov x29, sp
	stp x0, x1, [sp, #16]
	stp x2, x3, [sp, #32]
	stp x4, x5, [sp, #48]
	stp x6, x7, [sp, #64]
	str x8, [sp, #80]
	stp q0, q1, [sp, #96]
	stp q2, q3, [sp, #128]
	stp q4, q5, [sp, #160]
	stp q6, q7, [sp, #192]
	mov w0, w17
	bl preload_resolve
	mov x16, x0
	ldp x0, x1, [sp, #16]
	ldp x2, x3, [sp, #32]
	ldp x4, x5, [sp, #48]
	ldp x6, x7, [sp, #64]
	ldr x8, [sp, #80]
	ldp q0, q1, [sp, #96]
	ldp q2, q3, [sp, #128]
	ldp q4, q5, [sp, #160]
	ldp q6, q7, [sp, #192]
	ldp x29, x30, [sp], #224
	.cfi_def_cfa_offset 0
	.cfi_restore x29
	.cfi_restore x30
	br x16
	.cfi_endproc
.endm

#else
#error "there are no jumps for this processor: preload the library for the program's MPI instead"
#endif
