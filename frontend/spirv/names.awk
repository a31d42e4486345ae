# The enumerators of SPIR-V's headers, preprocessed, as rows of names.def behind two numbers to sort by.
# Of several names of one number the first counts.
BEGIN {
	kinds = split("OPCODE CAPABILITY DECORATION BUILTIN STORAGE MODE EXTENDED", kind, " ")
	split("SpvOp SpvCapability SpvDecoration SpvBuiltIn SpvStorageClass SpvExecutionMode OpenCLstd_", prefix, " ")
}
$2 == "=" && $3 ~ /^[0-9]+,?$/ {
	for (k = 1; k <= kinds; k++) {
		start = length(prefix[k])
		name = substr($1, start + 1)
		if (substr($1, 1, start) == prefix[k] && name ~ /^[A-Z0-9]/ && !seen[k, $3 + 0]++)
			printf "%d %d NAME(%s, %d, \"%s\")\n", k, $3, kind[k], $3, name
	}
}
