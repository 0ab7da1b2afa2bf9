"""What the text formats share: frames, control tokens in content, header attributes, tools as TypeScript."""
