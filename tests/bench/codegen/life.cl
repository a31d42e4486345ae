kernel void life(global const uchar *restrict in, global uchar *restrict out, int width, int height)
{
	int x = get_global_id(0), y = get_global_id(1);
	int around = 0;
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++)
			around += in[((y + dy) & (height - 1)) * width + ((x + dx) & (width - 1))] & 1;
	int me = in[y * width + x] & 1;
	out[y * width + x] = around == 3 || (me && around == 4);
}
