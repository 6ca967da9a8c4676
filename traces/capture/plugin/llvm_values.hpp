#pragma once

#include "base/layers.hpp"

#include <cstddef>

/// The few questions that the plugin asks about LLVM's values, through LLVM's C interface: its
/// binary interface is stable, and the library is in the process already because Oclgrind brings
/// it.
extern "C" {
void* LLVMGetOperand(void* value, unsigned index);
unsigned LLVMGetNumArgOperands(void* call);
void* LLVMGetParam(void* function, unsigned index);
const char* LLVMGetValueName2(void* value, std::size_t* length);
unsigned long long LLVMConstIntGetZExtValue(void* constant);
int LLVMGetInstructionOpcode(void* instruction);
void* LLVMGetCalledValue(void* call);
int LLVMIsDeclaration(void* function);
void* LLVMTypeOf(void* value);
int LLVMGetTypeKind(void* type);
void* LLVMGetElementType(void* vector);
unsigned LLVMGetVectorSize(void* vector);
unsigned LLVMGetArrayLength(void* array);
unsigned LLVMCountStructElementTypes(void* structure);
int LLVMIsUndef(void* value);
int LLVMIsNull(void* constant);
double LLVMConstRealGetDouble(void* constant, int* loses);
void* LLVMIsAConstantDataSequential(void* constant);
void* LLVMGetElementAsConstant(void* sequence, unsigned index);
void* LLVMGetTypeContext(void* type);
unsigned LLVMGetMDKindIDInContext(void* context, const char* name, unsigned length);
void* LLVMGlobalCopyAllMetadata(void* function, std::size_t* count);
unsigned LLVMValueMetadataEntriesGetKind(void* entries, unsigned index);
void* LLVMValueMetadataEntriesGetMetadata(void* entries, unsigned index);
void LLVMDisposeValueMetadataEntries(void* entries);
void* LLVMMetadataAsValue(void* context, void* metadata);
unsigned LLVMGetMDNodeNumOperands(void* node);
void LLVMGetMDNodeOperands(void* node, void** operands);
void* LLVMGetInstructionParent(void* instruction);
void* LLVMGetNextInstruction(void* instruction);
void* LLVMGetBasicBlockTerminator(void* block);
unsigned LLVMGetNumSuccessors(void* terminator);
void* LLVMGetSuccessor(void* terminator, unsigned index);
}

namespace llvm {
class CallInst;
class Function;
class Value;
} // namespace llvm

namespace texelscope::traces {

/// LLVMTypeKind.
enum TypeKind : int {
    half = 1,
    single = 2,
    twice = 3,
    integer = 8,
    structure = 10,
    array = 11,
    vector = 13
};

// LLVM's C handles are pointers to the C++ objects; each of these classes starts with its Value.
inline void* llvm_handle(const void* value)
{
    return const_cast<void*>(value);
}

inline const llvm::Value* call_argument(const llvm::CallInst* call, unsigned index)
{
    return static_cast<const llvm::Value*>(LLVMGetOperand(llvm_handle(call), index));
}
inline unsigned call_arguments(const llvm::CallInst* call)
{
    return LLVMGetNumArgOperands(llvm_handle(call));
}
inline const llvm::Value* function_argument(const llvm::Function* function, unsigned index)
{
    return static_cast<const llvm::Value*>(LLVMGetParam(llvm_handle(function), index));
}

} // namespace texelscope::traces
